// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"slices"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// readable writes what write writes, or ? if memory that it needs can't be read.
func (p *rendition) readable(write func(q *rendition)) {
	q := p.inner()
	write(q)
	p.full = p.full || q.full
	if !slices.ContainsFunc(q.args, p.r.fallible) {
		p.format.WriteString(q.format.String())
		p.args = append(p.args, q.args...)
		return
	}
	p.format.WriteString("%s")
	p.args = append(p.args, q.sprint("?"))
}

// fallible reports whether x, of a rendition, may raise an error: it loads memory, or calls a function that does.
func (r *resolution) fallible(x program.Expr) bool {
	switch x := x.(type) {
	case *program.Number, *program.Text, *program.Argument, *program.Register, *program.ReturnValue, *program.SavedValue, *program.ProbedAddr:
		return false
	case *program.Cast:
		return r.fallible(x.X)
	case *program.Binary:
		return r.fallible(x.X) || r.fallible(x.Y)
	case *program.Compare:
		return r.fallible(x.X) || r.fallible(x.Y)
	case *program.Cond:
		return r.fallible(x.If) || r.fallible(x.Then) || r.fallible(x.Else)
	case *program.Print:
		return x.Else == "" && slices.ContainsFunc(x.Args, r.fallible)
	case *program.ScriptExpr:
		call, ok := x.X.(*syntax.CallExpr)
		return !ok || !infallible[call.Name] || slices.ContainsFunc(call.Args, func(arg syntax.Expr) bool {
			v := r.made[arg]
			return v != nil && r.fallible(v.X)
		})
	}
	return true
}

// infallible are the functions of the tapset library that renditions call and that raise no error, as they are called.
var infallible = map[string]bool{"user_string": true, "user_string_n": true, "kernel_string": true, "kernel_string_n": true,
	"fp_to_string": true, "fp32_to_fp64": true}
