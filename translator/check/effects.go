// SPDX-License-Identifier: GPL-2.0-or-later

package check

import "gostap/translator/program"

// callsOf lists the calls in s.
func callsOf(s program.Stmt) []*program.Call {
	var calls []*program.Call
	eachExpr(s, func(x program.Expr) {
		if call, ok := x.(*program.Call); ok {
			calls = append(calls, call)
		}
	})
	return calls
}

// eachExtra calls f for what a probe evaluates besides its body.
func (p *probe) eachExtra(f func(*program.Expr)) {
	if p.Cond != nil {
		f(&p.Cond)
	}
	for i := range p.Saved {
		f(&p.Saved[i])
	}
}

// findPure finds the live functions that have no effect but their result.
func (c *checker) findPure() {
	callers := map[*group][]*function{}
	var impure []*function
	for _, f := range c.lowered {
		if !f.live {
			continue
		}
		if f.pure = c.pureBody(f); !f.pure {
			impure = append(impure, f)
		}
		for _, call := range f.scope.calls {
			g := c.groupOf[call.Fn]
			callers[g] = append(callers[g], f)
		}
	}
	for len(impure) > 0 {
		f := impure[len(impure)-1]
		impure = impure[:len(impure)-1]
		for _, caller := range callers[f.group] {
			if caller.pure {
				caller.pure = false
				impure = append(impure, caller)
			}
		}
	}
}

// pureBody reports whether f itself has no effect, whatever it calls.
func (c *checker) pureBody(f *function) bool {
	if f.Code != nil {
		return hasMarker(f.Code, "pure")
	}
	pure := true
	eachExpr(f.body, func(x program.Expr) { pure = pure && c.pureNode(x) })
	eachStmt(f.body, func(s program.Stmt) { pure = pure && set(s) == nil })
	return pure
}

// changed returns what x changes that is not a local variable, nil for nothing.
func changed(x program.Expr) program.Expr {
	switch x := x.(type) {
	case *program.Assign:
		return lasting(x.X)
	case *program.IncDec:
		return lasting(x.X)
	case *program.Aggregate:
		return x.X
	}
	return nil
}

// set is changed for statements: for delete, and for what catch sets.
func set(s program.Stmt) program.Expr {
	switch s := s.(type) {
	case *program.Delete:
		return s.X
	case *program.Try:
		return lasting(s.Msg)
	}
	return nil
}

// lasting returns x if it outlives the handler, else nil.
func lasting(x program.Expr) program.Expr {
	if _, local := x.(*program.LocalRef); local {
		return nil
	}
	return x
}

// pureNode reports whether x has no effect of its own; calls count as none.
func (c *checker) pureNode(x program.Expr) bool {
	switch x := x.(type) {
	case *program.PrintHist:
		return x.Sprint
	case *program.Print:
		return x.Sprint
	case *program.Embedded:
		return x.Pure
	case *program.Match:
		return !c.matched
	case *invalid:
		return false // who knows
	}
	return changed(x) == nil
}

// pureCall reports whether a call has no effect.
func (c *checker) pureCall(x *program.Call) bool {
	for _, f := range c.groupOf[x.Fn].variants {
		if !f.pure {
			return false
		}
	}
	return true
}
