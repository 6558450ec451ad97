// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"

	"gostap/internal/lazyregexp"
	"gostap/translator/program"
)

// An access is a way in which code uses a global.
type access uint8

const (
	reads      access = 1 << iota
	writes            // in an order that matters
	aggregates        // adds to it, whatever its value is
	modifies          // an array: elements are added or deleted
)

func (a access) exclusive() bool { return a&(writes|aggregates) != 0 }

type usage map[*program.Global]access

func (u usage) add(g *program.Global, a access) { u[g] |= a }

// join adds v to u and reports whether that changed anything.
func (u usage) join(v usage) bool {
	changed := false
	for g, a := range v {
		if u[g]|a != u[g] {
			u[g] |= a
			changed = true
		}
	}
	return changed
}

// A callSite is a call, with the number of sorted loops over each array around it.
type callSite struct {
	fn     *program.Function
	sorted map[*program.Global]int
}

// A summary describes what a piece of code does, including the functions that it calls.
type summary struct {
	usage     usage
	calls     []callSite
	sortDepth map[*program.Global]int // the depth of nested sorted loops over each array
	loops     bool                    // here, not in functions that it calls
	arrays    bool                    // it walks, sorts or clears whole arrays
	registers bool                    // it may read registers that ftrace does not save by default
}

// An analysis is what is known about the whole program.
type analysis struct {
	fns        map[*program.Function]*summary
	recursive  map[*program.Function]bool
	costs      map[*program.Function]int                     // the number of calls that one call leads to, each loop counted once
	sortLevel  map[*program.Function]map[*program.Global]int // the number of sorted loops over each array that may be active when it is called
	walkLevels map[*program.Global]int                       // the number of sorted loops that may be active at once
	depth      int                                           // the longest chain of calls, recursion counted once
}

func analyse(p *program.Program, tails map[*program.Function]bool) (*analysis, error) {
	a := &analysis{
		fns:        map[*program.Function]*summary{},
		recursive:  map[*program.Function]bool{},
		costs:      map[*program.Function]int{},
		sortLevel:  map[*program.Function]map[*program.Global]int{},
		walkLevels: map[*program.Global]int{},
	}
	for _, fn := range p.Functions {
		a.fns[fn] = a.summarizeFn(fn, p)
	}
	for changed := true; changed; {
		changed = false
		for _, fn := range p.Functions {
			for _, call := range a.fns[fn].calls {
				if a.fns[fn].join(a.fns[call.fn]) {
					changed = true
				}
			}
		}
	}
	a.findRecursion(p.Functions, tails)
	return a, a.nestSorts(p)
}

func (a *analysis) summarizeFn(fn *program.Function, p *program.Program) *summary {
	if fn.Code == nil {
		s := a.summarize(fn.Body, p)
		if fn.Next != nil {
			s.calls = append(s.calls, callSite{fn: fn.Next})
		}
		return s
	}
	s := &summary{usage: pragmaUsage(fn.Code.Text, p)}
	if fn.Next != nil {
		s.calls = append(s.calls, callSite{fn: fn.Next})
	}
	return s
}

// code summarizes a handler, with the functions that it calls.
func (a *analysis) code(body []program.Stmt, exprs []program.Expr, p *program.Program) *summary {
	list := append([]program.Stmt(nil), body...)
	for _, e := range exprs {
		if e != nil {
			list = append(list, &program.Return{At: e.Pos(), X: e})
		}
	}
	s := a.summarize(list, p)
	for _, call := range s.calls {
		s.join(a.fns[call.fn])
	}
	return s
}

// join adds the summary of a called function to s, and reports whether that changed s.
func (s *summary) join(called *summary) bool {
	changed := s.usage.join(called.usage) || called.registers && !s.registers || called.arrays && !s.arrays
	s.registers = s.registers || called.registers
	s.arrays = s.arrays || called.arrays
	return changed
}

func (a *analysis) summarize(body []program.Stmt, p *program.Program) *summary {
	s := &summary{usage: usage{}, sortDepth: map[*program.Global]int{}}
	under := map[*program.Global]int{}
	v := visitor{
		expr: func(e program.Expr, used bool) {
			s.expr(e, used, p)
			if call, ok := e.(*program.Call); ok {
				site := callSite{fn: call.Fn, sorted: map[*program.Global]int{}}
				for g, n := range under {
					site.sorted[g] = n
				}
				s.calls = append(s.calls, site)
			}
		},
		enter: func(st program.Stmt) {
			s.stmt(st)
			if f, ok := st.(*program.Foreach); ok && f.SortDir != 0 {
				under[f.Array]++
				s.sortDepth[f.Array] = max(s.sortDepth[f.Array], under[f.Array])
			}
		},
		leave: func(st program.Stmt) {
			if f, ok := st.(*program.Foreach); ok && f.SortDir != 0 {
				under[f.Array]--
			}
		},
	}
	v.stmts(body)
	return s
}

func (s *summary) stmt(st program.Stmt) {
	switch st := st.(type) {
	case *program.For:
		s.loops = true
	case *program.Foreach:
		s.loops, s.arrays = true, true
		s.usage.add(st.Array, reads)
		if st.SortDir != 0 {
			s.usage.add(st.Array, writes) // the links of the sorted chain
		}
	case *program.ForeachBucket:
		s.loops = true
		s.lvalue(st.X, reads)
	case *program.Delete:
		if x, ok := st.X.(*program.GlobalRef); ok && x.Global.Keys != nil {
			s.arrays = true
		}
		s.lvalue(st.X, writes|modifies)
	case *program.Try:
		s.lvalue(st.Msg, writes)
	}
}

func (s *summary) expr(e program.Expr, used bool, p *program.Program) {
	switch e := e.(type) {
	case *program.GlobalRef, *program.Element:
		s.lvalue(e, reads)
	case *program.Assign:
		if !used && e.X.Type() == program.Long && (e.Op == "+" || e.Op == "-") {
			s.lvalue(e.X, aggregates|modifies)
		} else {
			s.lvalue(e.X, writes|modifies)
		}
	case *program.IncDec:
		if !used {
			s.lvalue(e.X, aggregates|modifies)
		} else {
			s.lvalue(e.X, writes|modifies)
		}
	case *program.Aggregate:
		s.lvalue(e.X, aggregates|modifies)
	case *program.StatRead:
		s.lvalue(e.X, reads)
	case *program.Bucket:
		s.lvalue(e.X, reads)
	case *program.PrintHist:
		s.lvalue(e.X, reads)
	case *program.In:
		s.usage.add(e.Array, reads)
		s.arrays = s.arrays || hasStar(e.Keys)
	case *program.Call:
		s.registers = s.registers || callNeedsRegisters(e)
	case *program.Embedded:
		s.usage.join(pragmaUsage(e.Code.Text, p))
		s.registers = s.registers || codeNeedsRegisters(e.Code.Text, false)
	}
}

func (s *summary) lvalue(x program.Expr, a access) {
	switch x := x.(type) {
	case *program.GlobalRef:
		s.usage.add(x.Global, a)
	case *program.Element:
		s.usage.add(x.Array, a)
		s.arrays = s.arrays || hasStar(x.Keys)
	case *program.StatCursor:
		s.usage.add(x.Cursor.Array, a)
	}
}

var pragma = lazyregexp.MustCompile(`/\*\s*pragma:(read|write):(\w+)\s*\*/`)

// pragmaUsage is the use of globals that embedded C declares by pragmas.
func pragmaUsage(code string, p *program.Program) usage {
	u := usage{}
	for _, m := range pragma().FindAllStringSubmatch(code, -1) {
		for _, g := range p.Globals {
			if g.Name == m[2] {
				u.add(g, reads)
				if m[1] == "write" {
					u.add(g, writes|modifies)
				}
			}
		}
	}
	return u
}

// maxSortLevels bounds the links in a node for sorted loops.
const maxSortLevels = 8

func (a *analysis) nestSorts(p *program.Program) error {
	var work []*program.Function
	raise := func(site callSite, outer map[*program.Global]int) {
		levels := a.sortLevel[site.fn]
		if levels == nil {
			levels = map[*program.Global]int{}
			a.sortLevel[site.fn] = levels
			work = append(work, site.fn)
		}
		grown := false
		for _, g := range p.Globals {
			if n := site.sorted[g] + outer[g]; n > levels[g] && levels[g] <= maxSortLevels {
				levels[g] = n
				grown = true
			}
		}
		if grown {
			work = append(work, site.fn)
		}
	}
	note := func(s *summary, outer map[*program.Global]int) {
		for g, n := range s.sortDepth {
			a.walkLevels[g] = max(a.walkLevels[g], n+outer[g])
		}
		for _, call := range s.calls {
			raise(call, outer)
		}
	}
	for _, pr := range p.Probes {
		note(a.code(pr.Body, append([]program.Expr{pr.Cond}, pr.Saved...), p), nil)
	}
	for len(work) > 0 {
		fn := work[0]
		work = work[1:]
		note(a.fns[fn], a.sortLevel[fn])
	}
	for _, g := range p.Globals {
		if a.walkLevels[g] > maxSortLevels {
			return fmt.Errorf("%s: sorted foreach loops over array %q nest more than %d deep, or without end by recursion", g.At, g.Name, maxSortLevels)
		}
	}
	return nil
}

// effects reports whether evaluating e may change a variable.
func (a *analysis) effects(e program.Expr) bool {
	return anyExpr(e, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Assign, *program.IncDec, *program.Aggregate:
			return true
		case *program.Call:
			for _, acc := range a.fns[e.Fn].usage {
				if acc.exclusive() {
					return true
				}
			}
		case *program.Embedded:
			return pragma().MatchString(e.Code.Text)
		}
		return false
	})
}

// modifies reports whether running s may add or delete elements of g.
func (a *analysis) modifies(s program.Stmt, g *program.Global, p *program.Program) bool {
	return a.code([]program.Stmt{s}, nil, p).usage[g]&modifies != 0
}
