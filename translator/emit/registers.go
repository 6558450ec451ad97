// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"regexp"
	"strings"

	"gostap/translator/program"
)

// Where ftrace calls a probe, it saves by itself only the registers that carry
// arguments, a result and the frame. Saving them all costs each hit some thirty
// instructions, so it is for handlers that may ask for others.

// saved are the registers that are always there; a name is one of these after
// its "r" or "e", if it has one.
var saved = map[string]bool{
	"ax": true, "cx": true, "dx": true, "si": true, "di": true, "8": true, "9": true,
	"bp": true, "sp": true, "ip": true,
}

// registersMark is the mark of library code that may read every register;
// guru code does if it speaks of them.
var (
	registersMark = regexp.MustCompile(`/\*\s*all registers\s*\*/`)
	speaksOfThem  = regexp.MustCompile(`\b(regs|kregs|uregs|gs_pt_regs)\b`)
)

func codeWantsRegisters(code string, builtin bool) bool {
	if builtin {
		return registersMark.MatchString(code)
	}
	return speaksOfThem.MatchString(code)
}

// callWantsRegisters reports whether a call goes to embedded C that needs all
// registers. One that names a saved register does not.
func callWantsRegisters(call *program.Call) bool {
	for fn := call.Fn; fn != nil; fn = fn.Next {
		if fn.Code == nil || !codeWantsRegisters(fn.Code.Text, fn.Builtin) {
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
