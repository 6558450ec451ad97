// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"

	"gostap/translator/program"
)

// inlined evaluates a call of a library function that the runtime implements directly: scripts call
// these so often that a call of embedded C, which gets strings without their lengths, would be most of
// their cost.
func (b *body) inlined(e *program.Call) (value, bool) {
	switch inlineName(e.Fn) {
	case "strlen":
		v := b.expr(e.Args[0])
		return value{fmt.Sprintf("(gs_s64)(%s).len", v.c), v.lifetime}, true
	case "substr":
		vs := b.values(e.Args, false)
		n := b.g.bounds.of(e) + 1
		t := b.temp()
		b.line("struct gs_str %s = gs_substr(%s, %d, %s, %s, %s);", t, b.slot(n), n, vs[0].c, vs[1].c, vs[2].c)
		return temporaryValue(t), true
	}
	return value{}, false
}

// inlineName is the name of a library function that inlined handles, or "".
func inlineName(fn *program.Function) string {
	if !fn.Builtin || fn.Next != nil {
		return ""
	}
	switch {
	case fn.Script == "strlen" && len(fn.Params) == 1, fn.Script == "substr" && len(fn.Params) == 3:
		return fn.Script
	}
	return ""
}
