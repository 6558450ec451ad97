// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"strings"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A condition says whether its probes are to be armed. It is asked when the session
// starts, and again behind every handler that may have changed what it reads: nobody
// can tell how often, and there is no probe point, with registers and a stack. What is
// asked at each hit, as more than globals decides it, obeys the same rule, so that it
// needn't be known which conditions these are.

// An obstacle is what a condition can't do.
type obstacle struct {
	what    string      // "call pp()"
	why     string      // unpointed, repeated or forGlobals
	through []*function // the functions that lead there, the first called first
	hint    string
}

const (
	unpointed  = "it is asked when no probe point is hit"
	forGlobals = "it may refer to global variables alone"
	repeated   = "it may be asked any number of times"
)

// checkConditions reports what conditions can't do.
func (c *checker) checkConditions() {
	for _, p := range c.probes {
		if p.Cond == nil {
			continue
		}
		c.pos = p.Cond.Pos()
		eachExpr(&program.Eval{X: p.Cond}, func(x program.Expr) {
			if o := c.obstacle(x, map[*function]bool{}); o != nil {
				c.errorf(x.Pos(), "a condition can't %s: %s%s", o.what, o.why, o.path()).Hint = o.hint
			}
		})
	}
}

// path spells the functions between a condition and its obstacle.
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

// obstacle returns what x itself does, or what it calls, that a condition can't do,
// nil if there is nothing. seen are the functions that have been looked at.
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

// functionObstacle returns what calling f does that a condition can't do.
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

// lvalueText names what is changed.
func (c *checker) lvalueText(lvalue program.Expr) string {
	switch lvalue := lvalue.(type) {
	case *program.GlobalRef:
		return `"` + c.globalOf[lvalue.Global].decl.Name + `"`
	case *program.Element:
		return `"` + c.globalOf[lvalue.Array].decl.Name + `"`
	}
	return "what is probed"
}
