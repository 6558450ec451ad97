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

// eachExtra calls f for the expressions that a probe evaluates outside of its body.
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

// pureBody reports whether f itself has no effect, apart from the functions that it calls.
func (c *checker) pureBody(f *function) bool {
	if f.Code != nil {
		return hasMarker(f.Code, "pure")
	}
	pure := true
	eachExpr(f.body, func(x program.Expr) { pure = pure && c.pureNode(x) })
	eachStmt(f.body, func(s program.Stmt) { pure = pure && set(s) == nil })
	return pure
}

// changed returns the lvalue that x changes if it is not a local variable, else nil.
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

// set is the same for statements: delete, and the variable of catch.
func set(s program.Stmt) program.Expr {
	switch s := s.(type) {
	case *program.Delete:
		return s.X
	case *program.Try:
		return lasting(s.Msg)
	}
	return nil
}

// lasting returns x if its value outlives the handler, else nil.
func lasting(x program.Expr) program.Expr {
	if _, local := x.(*program.LocalRef); local {
		return nil
	}
	return x
}

// pureNode reports whether x itself has no effect; a call counts as having none.
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
		return false // unknown, so assume an effect
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
