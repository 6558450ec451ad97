// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"strings"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A condition decides whether its probes are armed. If it depends on globals alone, it is evaluated
// when the session starts and after every handler that may have changed them: at times that the script
// cannot know, and without a probe point, registers or a stack. Other conditions are evaluated at each
// hit, but the same rules apply to them, so that users need not know which kind a condition is.

// An obstacle is an operation that a condition must not contain.
type obstacle struct {
	what    string      // "call pp()"
	why     string      // unpointed, repeated or forGlobals
	through []*function // the calls that lead to it, outermost first
	hint    string
}

const (
	unpointed  = "it is asked when no probe point is hit"
	forGlobals = "it may refer to global variables alone"
	repeated   = "it may be asked any number of times"
)

// checkConditions reports operations that conditions must not contain.
func (c *checker) checkConditions() {
	for _, p := range c.probes {
		if p.Cond == nil {
			continue
		}
		c.pos = p.Cond.Pos()
		eachExpr(&program.Eval{X: p.Cond}, func(x program.Expr) {
			if o := c.obstacle(x, map[*function]bool{}); o != nil {
				d := c.errorf(x.Pos(), "a condition can't %s: %s%s", o.what, o.why, o.path()).InStap("probe condition must not modify any variables")
				if o.why == forGlobals {
					d.InStap("probe condition must not reference function")
				}
				d.Hint = o.hint
			}
		})
	}
}

// path describes the calls between a condition and its obstacle.
func (o *obstacle) path() string {
	if len(o.through) == 0 {
		return ""
	}
	var names []string
	for _, f := range o.through {
		names = append(names, f.Script+"()")
	}
	word := "done by "
	if strings.HasPrefix(o.what, "call ") {
		word = "called through "
	}
	return " (" + word + strings.Join(names, ", ") + ")"
}

// obstacle returns the first operation in x, or in the functions that it calls, that a condition must
// not contain, nil if there is none. seen are the functions that have been searched.
func (c *checker) obstacle(x program.Expr, seen map[*function]bool) *obstacle {
	switch x := x.(type) {
	case *program.Print:
		if !x.Sprint {
			return &obstacle{what: "print", why: repeated}
		}
	case *program.PrintHist:
		if x.Sprint {
			break
		}
		return &obstacle{what: "print", why: repeated}
	case *program.Embedded:
		return codeObstacle("run this embedded C", x.Code)
	case *program.Call:
		if c.opts.AsStap {
			return &obstacle{what: "call " + x.Fn.Script + "()", why: forGlobals}
		}
		for _, f := range c.groupOf[x.Fn].variants {
			if o := c.functionObstacle(f, seen); o != nil {
				return o
			}
		}
	}
	if lvalue := changed(x); lvalue != nil {
		return &obstacle{what: "change " + c.lvalueText(lvalue), why: repeated}
	}
	return nil
}

// functionObstacle returns the first operation in f that a condition must not contain.
func (c *checker) functionObstacle(f *function, seen map[*function]bool) *obstacle {
	if f.Code != nil {
		return codeObstacle("call "+f.Script+"()", f.Code)
	}
	if seen[f] {
		return nil
	}
	seen[f] = true
	var found *obstacle
	eachStmt(f.body, func(s program.Stmt) {
		if lvalue := set(s); lvalue != nil && found == nil {
			found = &obstacle{what: "change " + c.lvalueText(lvalue), why: repeated}
		}
	})
	eachExpr(f.body, func(x program.Expr) {
		if found == nil {
			found = c.obstacle(x, seen)
		}
	})
	if found != nil {
		found.through = append([]*function{f}, found.through...)
	}
	return found
}

func codeObstacle(what string, code *syntax.EmbeddedC) *obstacle {
	switch {
	case hasMarker(code, "point"):
		return &obstacle{what: what, why: unpointed}
	case !hasMarker(code, "pure"):
		o := &obstacle{what: what + ", which has effects", why: repeated}
		if isUser(code.At) {
			o.hint = "embedded C without any says so: /* pure */"
		}
		return o
	}
	return nil
}

// lvalueText is the name of the variable that an lvalue belongs to.
func (c *checker) lvalueText(lvalue program.Expr) string {
	switch lvalue := lvalue.(type) {
	case *program.GlobalRef:
		return `"` + c.globalOf[lvalue.Global].decl.Name + `"`
	case *program.Element:
		return `"` + c.globalOf[lvalue.Array].decl.Name + `"`
	}
	return "what is probed"
}
