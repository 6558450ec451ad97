// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A foreachLoop is a Foreach that captures the value. If the array is one of statistics, it captures
// the element, which has no type.
type foreachLoop struct {
	valueName string
	value     *local
	cursor    *program.Cursor
	plainAt   syntax.Pos // where the value is used as a number or string
}

// stmt lowers x; the result is nil if nothing is left of it.
func (s *scope) stmt(x syntax.Stmt) program.Stmt {
	s.c.pos = x.Pos()
	switch x := x.(type) {
	case *syntax.Block:
		return s.block(x)
	case *syntax.ExprStmt:
		return s.exprStmt(x)
	case *syntax.IfStmt:
		return s.ifStmt(x)
	case *syntax.ForStmt:
		return s.forStmt(x)
	case *syntax.ForeachStmt:
		return s.foreach(x)
	case *syntax.BreakStmt:
		n := &program.Break{At: x.At}
		s.inLoop(n)
		return n
	case *syntax.ContinueStmt:
		n := &program.Continue{At: x.At}
		s.inLoop(n)
		return n
	case *syntax.NextStmt:
		return &program.Next{At: x.At}
	case *syntax.ReturnStmt:
		n := &program.Return{At: x.At}
		if x.X != nil {
			n.X = s.expr(x.X)
		}
		return n
	case *syntax.DeleteStmt:
		return s.delete(x)
	case *syntax.TryStmt:
		n := &program.Try{At: x.At, Body: s.block(x.Body)}
		if x.Msg != nil {
			n.Msg = s.lvalue(x.Msg, "catch")
		}
		n.Catch = s.block(x.Catch)
		return n
	}
	return nil
}

// block lowers a block. Statements behind one that leaves the block are never run.
func (s *scope) block(x *syntax.Block) program.Stmt {
	n := &program.Block{At: x.At}
	left, told := false, false
	for _, y := range x.Stmts {
		z := s.stmt(y)
		if left && !s.c.opts.Unoptimized {
			s.never(z)
			if _, empty := y.(*syntax.EmptyStmt); !told && !empty {
				s.c.advise(y.Pos(), "this is never reached")
				told = true
			}
			continue
		}
		if z != nil {
			n.Stmts = append(n.Stmts, z)
			left = leaves(z)
		}
	}
	if len(n.Stmts) == 0 {
		return nil
	}
	return n
}

// leaves reports whether the statements behind s in a block are never reached.
func leaves(s program.Stmt) bool {
	switch s := s.(type) {
	case *program.Break, *program.Continue, *program.Next, *program.Return:
		return true
	case *program.Block:
		return leaves(s.Stmts[len(s.Stmts)-1])
	case *program.If:
		return s.Then != nil && s.Else != nil && leaves(s.Then) && leaves(s.Else)
	}
	return false
}

// inLoop records a break or continue outside of loops, which is an error unless it is never run.
func (s *scope) inLoop(x program.Stmt) {
	if s.nesting == 0 {
		s.c.loopless[x] = true
	}
}

func (s *scope) loopBody(x syntax.Stmt) program.Stmt {
	s.nesting++
	defer func() { s.nesting-- }()
	return s.stmt(x)
}

func (s *scope) exprStmt(x *syntax.ExprStmt) program.Stmt {
	return s.branching(s.expr(x.X))
}

// branching turns operators that evaluate an operand conditionally into ifs: as statements, they may
// have operands without value.
func (s *scope) branching(x program.Expr) program.Stmt {
	switch x := x.(type) {
	case *program.Cond:
		return &program.If{At: x.At, Cond: x.If, Then: s.branching(x.Then), Else: s.branching(x.Else)}
	case *program.Logical:
		if x.Op == "||" {
			return &program.If{At: x.At, Cond: unary(x.At, "!", x.X), Then: s.branching(x.Y)}
		}
		return &program.If{At: x.At, Cond: x.X, Then: s.branching(x.Y)}
	}
	return &program.Eval{X: x}
}

func (s *scope) ifStmt(x *syntax.IfStmt) program.Stmt {
	first := &program.If{}
	for n := first; ; {
		n.At = x.At
		n.Cond = s.expr(x.Cond)
		yes, known := constant(n.Cond)
		decided := known && s.decides
		if !decided || yes != 0 {
			n.Then = s.stmt(x.Then)
		}
		next, ok := x.Else.(*syntax.IfStmt)
		if decided && yes != 0 {
			break
		}
		if !ok {
			if x.Else != nil {
				n.Else = s.stmt(x.Else)
			}
			break
		}
		m := &program.If{}
		n.Else = m
		n, x = m, next
	}
	return s.decideIf(first)
}

// decideIf drops branches whose conditions are constant, in a whole chain of else-ifs.
func (s *scope) decideIf(first *program.If) program.Stmt {
	var row []*program.If
	for n := first; n != nil; {
		row = append(row, n)
		n, _ = n.Else.(*program.If)
	}
	rest := row[len(row)-1].Else
	for i := len(row) - 1; i >= 0; i-- {
		n := row[i]
		n.Else = rest
		c, ok := constant(n.Cond)
		switch {
		case !ok:
			rest = n
		case c != 0:
			s.never(n.Else)
			rest = n.Then
		default:
			s.never(n.Then)
		}
	}
	return rest
}

func (s *scope) forStmt(x *syntax.ForStmt) program.Stmt {
	n := &program.For{At: x.At}
	if x.Init != nil {
		n.Init = s.expr(x.Init)
	}
	if x.Cond != nil {
		n.Cond = s.expr(x.Cond)
	}
	if yes, known := constant(n.Cond); known && yes == 0 && s.decides {
		return begun(n)
	}
	if x.Post != nil {
		n.Post = s.expr(x.Post)
	}
	n.Body = s.loopBody(x.Body)
	switch yes, known := constant(n.Cond); {
	case known && yes == 0:
		s.never(n.Body)
		if n.Post != nil {
			s.neverExpr(n.Post)
		}
		return begun(n)
	case known:
		n.Cond = nil
	}
	return n
}

// begun is what remains of a loop whose body is never run: its initialization.
func begun(n *program.For) program.Stmt {
	if n.Init == nil {
		return nil
	}
	return &program.Eval{X: n.Init}
}

func (s *scope) foreach(x *syntax.ForeachStmt) program.Stmt {
	if h, ok := x.Array.(*syntax.StatOp); ok {
		return s.foreachBucket(x, h)
	}
	array, ok := x.Array.(*syntax.Ident)
	if !ok {
		s.c.errorf(x.At, "foreach walks over an array or a histogram, but this is neither")
		return invalidStmt(x.At)
	}
	n := &program.Foreach{At: x.At, SortDir: x.SortDir, SortKey: x.SortKey}
	g := s.array(array, len(x.Keys))
	n.Slice = s.exprs(x.Slice)
	if x.Slice != nil && len(x.Slice) != len(x.Keys) {
		s.c.errorf(array.At, "%q is sliced by %s, but walked over with %d", array.Name, plural(len(x.Slice), "key"), len(x.Keys))
		g = nil
	}
	if x.Limit != nil {
		n.Limit = s.expr(x.Limit)
	}
	var copies []program.Stmt
	for _, k := range x.Keys {
		n.Keys = append(n.Keys, s.loopVar(k, &copies))
	}
	loop := &foreachLoop{}
	if x.Value != nil {
		n.Value = s.loopVar(x.Value, &copies)
		loop.valueName = x.Value.Name
		loop.value = s.byLocal[n.Value]
	}
	if g != nil {
		n.Array = g.Global
		if x.SortStat != "" {
			n.SortOp = x.SortStat
		}
		if x.Value != nil {
			loop.cursor = &program.Cursor{Array: g.Global, Name: x.Value.Name}
		}
	}
	if s.captures == nil {
		s.captures = map[*program.Foreach]*foreachLoop{}
	}
	s.captures[n] = loop
	s.loops = append(s.loops, loop)
	n.Body = prefixed(copies, s.loopBody(x.Body))
	s.loops = s.loops[:len(s.loops)-1]
	if g == nil {
		return invalidStmt(x.At)
	}
	return n
}

func invalidStmt(at syntax.Pos) program.Stmt { return &program.Eval{X: &invalid{at}} }

// loopVar lowers a variable that a loop sets. Loops set locals; a global is set from a local at the
// beginning of the body.
func (s *scope) loopVar(x *syntax.Ident, copies *[]program.Stmt) *program.Local {
	l, g := s.variable(x)
	if g == nil {
		l.set = true
		return l.Local
	}
	hidden := s.newLocal("__"+x.Name, x.At)
	hidden.v.name = x.Name
	hidden.set = true
	if s.setArity(g, 0, x.At) {
		*copies = append(*copies, &program.Eval{X: &program.Assign{
			At: x.At,
			X:  &program.GlobalRef{At: x.At, Global: g.Global},
			Y:  &program.LocalRef{At: x.At, Local: hidden.Local},
		}})
	}
	return hidden.Local
}

func prefixed(first []program.Stmt, s program.Stmt) program.Stmt {
	if len(first) == 0 {
		return s
	}
	if s != nil {
		first = append(first, s)
	}
	return &program.Block{At: first[0].Pos(), Stmts: first}
}

func (s *scope) foreachBucket(x *syntax.ForeachStmt, op *syntax.StatOp) program.Stmt {
	n := &program.ForeachBucket{At: x.At, SortDir: x.SortDir, SortKey: x.SortKey}
	if x.SortStat != "" {
		s.c.errorf(x.At, "buckets are sorted by their count or place, not by @%s", x.SortStat)
	}
	if len(x.Keys) > 1 {
		s.c.errorf(x.At, "a histogram's buckets have 1 key, found %d", len(x.Keys))
		return invalidStmt(x.At)
	}
	n.Hist = s.hist(op)
	n.X = s.statistic(op.X, "@"+op.Op)
	if hasStarElement(n.X) {
		s.c.errorf(op.X.Pos(), "a histogram is one element's, but a key is *")
	}
	var copies []program.Stmt
	if len(x.Keys) == 1 {
		n.Key = s.loopVar(x.Keys[0], &copies)
	}
	if x.Value != nil {
		n.Value = s.loopVar(x.Value, &copies)
	}
	if x.Limit != nil {
		n.Limit = s.expr(x.Limit)
	}
	n.Body = prefixed(copies, s.loopBody(x.Body))
	if n.Hist == nil {
		return invalidStmt(x.At)
	}
	return n
}

func (s *scope) delete(x *syntax.DeleteStmt) program.Stmt {
	switch y := x.X.(type) {
	case *syntax.Ident:
		if l := s.locals[y.Name]; l == nil || !l.param {
			if g := s.global(y.Name); g != nil {
				s.crossFile(g, y)
				return &program.Delete{At: x.At, X: &program.GlobalRef{At: y.At, Global: g.Global}}
			}
		}
		l := s.locals[y.Name]
		if l == nil {
			d := s.c.errorf(y.At, "%q can't be deleted: there is no such variable", y.Name).InStap("unresolved array in delete statement")
			d.Hint = s.c.near(y.Name, s.globalNames())
			return invalidStmt(x.At)
		}
		// A local is deleted by clearing it; how depends on its type, which is not known yet.
		return &program.Eval{X: &program.Assign{At: x.At, X: &program.LocalRef{At: y.At, Local: l.Local}, Y: &cleared{x.At, l}}}
	case *syntax.IndexExpr:
		if array, ok := y.X.(*syntax.Ident); ok {
			if e := s.element(y, array); e != nil {
				return &program.Delete{At: x.At, X: e}
			}
			return invalidStmt(x.At)
		}
	}
	s.c.errorf(x.X.Pos(), "only a variable, an array or an array's element can be deleted").InStap("invalid operand of delete expression")
	return invalidStmt(x.At)
}

// A probe is one of the program's probes while it is being checked.
type probe struct {
	*program.Probe
	scope   *scope
	body    *program.Block // a block of the elaborated bodies, each a block
	quiet   []bool         // for each body: it is an alias's, about which there are no warnings
	empty   bool           // written with an empty body
	updates bool           // elision has removed updates that SystemTap keeps

	saved     []term                  // the types of Saved
	savedUses [][]*program.SavedValue // for each of Saved
}
