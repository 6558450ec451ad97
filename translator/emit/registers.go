// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"strings"

	"gostap/internal/lazyregexp"
	"gostap/translator/program"
)

// By default ftrace saves only the registers of arguments, the result and the frame. Saving all costs
// some thirty instructions at each hit, so only handlers that may read others request it.

// saved are the registers that are always saved; names are without a leading "r" or "e".
var saved = map[string]bool{
	"ax": true, "cx": true, "dx": true, "si": true, "di": true, "8": true, "9": true,
	"bp": true, "sp": true, "ip": true,
}

// registersMark is the mark of library code that may read every register; guru code does if it mentions
// them.
var (
	registersMark     = lazyregexp.MustCompile(`/\*\s*all registers\s*\*/`)
	mentionsRegisters = lazyregexp.MustCompile(`\b(regs|kregs|uregs|gs_pt_regs)\b`)
)

func codeNeedsRegisters(code string, builtin bool) bool {
	if builtin {
		return registersMark().MatchString(code)
	}
	return mentionsRegisters().MatchString(code)
}

// callNeedsRegisters reports whether a call is one of embedded C that needs all registers. A call with
// the name of a saved register as argument does not.
func callNeedsRegisters(call *program.Call) bool {
	for fn := call.Fn; fn != nil; fn = fn.Next {
		if fn.Code == nil || !codeNeedsRegisters(fn.Code.Text, fn.Builtin) {
			continue
		}
		if !fn.Builtin || len(call.Args) != 1 {
			return true
		}
		name, constant := call.Args[0].(*program.Text)
		if !constant || !saved[strings.TrimLeft(name.Value, "re")] {
			return true
		}
	}
	return false
}
