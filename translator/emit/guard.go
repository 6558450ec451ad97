// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"slices"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A guard is an `if` at the start of a handler, such as `if (pid() == target())`. It comes behind its
// alias's statements, which make strings of all arguments. guardFirst moves the guard before those of
// the library's statements that only assign to local variables which the guard does not read.
func guardFirst(p *program.Program) *program.Program {
	guarded := *p
	guarded.Probes = slices.Clone(p.Probes)
	for i, pr := range p.Probes {
		if body, moved := moveGuards(flatten(nil, pr.Body)); moved {
			early := *pr
			early.Body = body
			guarded.Probes[i] = &early
		}
	}
	return &guarded
}

// moveGuards moves the guards in a handler's statements up, and reports whether there were any to move.
func moveGuards(stmts []program.Stmt) ([]program.Stmt, bool) {
	moved := false
	for i := 1; i < len(stmts); i++ {
		s, ok := stmts[i].(*program.If)
		if !ok || s.Else != nil || !pureExpr(s.Cond) {
			continue
		}
		then := flatten(nil, []program.Stmt{s.Then})
		next := len(then) == 1 && isNext(then[0])
		if !next && i < len(stmts)-1 {
			continue
		}
		to := guardIndex(stmts[:i], s.Cond)
		if to == i {
			continue
		}
		before, between, behind := stmts[:to:to], stmts[to:i], stmts[i+1:]
		if next {
			stmts = slices.Concat(before, []program.Stmt{s}, between, behind)
		} else {
			guard := &program.If{At: s.At, Cond: &program.Unary{At: s.Cond.Pos(), Op: "!", X: s.Cond}, Then: &program.Next{At: s.At}}
			stmts = slices.Concat(before, []program.Stmt{guard}, between, then)
		}
		moved = true
	}
	return stmts, moved
}

func isNext(s program.Stmt) bool {
	_, ok := s.(*program.Next)
	return ok
}

// guardIndex is the index to which the guard behind stmts may be moved: len(stmts) if moving it gains
// nothing.
func guardIndex(stmts []program.Stmt, cond program.Expr) int {
	asked := map[*program.Local]bool{}
	anyExpr(cond, func(e program.Expr) bool {
		if ref, ok := e.(*program.LocalRef); ok {
			asked[ref.Local] = true
		}
		return false
	})
	at, gain := len(stmts), false
	for at > 0 && movable(stmts[at-1], asked) {
		at--
		gain = gain || costly(stmts[at])
	}
	if !gain {
		return len(stmts)
	}
	return at
}

// movable reports whether s is a library statement that only assigns to locals which are not in asked.
func movable(s program.Stmt, asked map[*program.Local]bool) bool {
	if s.Pos().Source == nil || scriptPos(s.Pos()).Source.Origin != syntax.Tapset {
		return false
	}
	switch s := s.(type) {
	case *program.Eval:
		assign, ok := s.X.(*program.Assign)
		if !ok {
			return false
		}
		ref, ok := assign.X.(*program.LocalRef)
		return ok && !asked[ref.Local] && pureExpr(assign.Y)
	case *program.If:
		return pureExpr(s.Cond) && movable(s.Then, asked) && (s.Else == nil || movable(s.Else, asked))
	case *program.Block:
		return !slices.ContainsFunc(s.Stmts, func(s program.Stmt) bool { return !movable(s, asked) })
	case *program.Next:
		return true
	}
	return false
}

// pureExpr reports whether e has no effects.
func pureExpr(e program.Expr) bool {
	return !anyExpr(e, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Assign, *program.IncDec, *program.Aggregate, *program.Embedded:
			return true
		case *program.Call:
			return !e.Fn.Pure
		case *program.Print:
			return !e.Sprint
		case *program.PrintHist:
			return !e.Sprint
		case *program.Match:
			return e.Keep
		}
		return false
	})
}

// costly reports whether s makes strings, calls functions or reads memory.
func costly(s program.Stmt) bool {
	found := false
	v := visitor{expr: func(e program.Expr, _ bool) {
		switch e.(type) {
		case *program.Call, *program.Print, *program.Concat, *program.Deref:
			found = true
		}
	}}
	v.stmt(s)
	return found
}
