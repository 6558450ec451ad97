// SPDX-License-Identifier: GPL-2.0-or-later

package generate

import (
	"fmt"
	"strings"

	"gostap/translator/syntax"
)

// leftOut are library functions that no item calls, with the reason.
var leftOut = map[string]string{
	"exit":          "ends the session: each second script does so from its context",
	"abort":         "ends the session: each other script does so from its context",
	"panic":         "does what it says",
	"dump_stack":    "the kernel's log would speak of a call trace, as it does of harm",
	"printk":        "the kernel's log is for guru mode, where the context may hold what it takes",
	"switch_file":   "sends the output where nobody counts it",
	"__entry_keep":  "gostap's own, behind $var at statements",
	"__entry_seen":  "gostap's own, behind $var at statements",
	"__entry_value": "gostap's own, behind $var at statements",
}

// calls are the calls of functions whose parameters' names do not determine harmless arguments.
var calls = map[string]string{
	"udelay":              "udelay(num(k) & -0x7ffffffffffffffd)",
	"mdelay":              "mdelay(num(k) & -0x7fffffffffffffff)",
	"system":              `if (k == 1) system("true")`,
	"warn":                `if (k < 3) warn(text(k))`,
	"raise":               "raise(k & 1 ? 23 : 0)", // SIGURG, which is ignored by default
	"set_int_arg":         "set_int_arg(k & 1 ? 33 : 0, num(k))",
	"set_uint_arg":        "set_uint_arg(k & 1 ? -1 : 0, num(k))",
	"set_s32_arg":         "set_s32_arg(k & 1 ? 33 : 0, num(k))",
	"set_u32_arg":         "set_u32_arg(k & 1 ? -1 : 0, num(k))",
	"set_long_arg":        "set_long_arg(num(k), long_arg(num(k)))",
	"set_ulong_arg":       "set_ulong_arg(num(k), ulong_arg(num(k)))",
	"set_longlong_arg":    "set_longlong_arg(num(k), longlong_arg(num(k)))",
	"set_ulonglong_arg":   "set_ulonglong_arg(num(k), ulonglong_arg(num(k)))",
	"set_s64_arg":         "set_s64_arg(num(k), s64_arg(num(k)))",
	"set_u64_arg":         "set_u64_arg(num(k), u64_arg(num(k)))",
	"set_pointer_arg":     "set_pointer_arg(num(k), pointer_arg(num(k)))",
	"set_user_string_arg": "set_user_string_arg(unwritable(k), text(k))",
}

// Functions returns an item for each of the library's functions, and for each number of arguments that one takes.
func Functions(files []*syntax.File) []Item {
	var items []Item
	for _, file := range files {
		for _, d := range file.Decls {
			f, ok := d.(*syntax.FunctionDecl)
			if !ok || f.Private || leftOut[f.Name] != "" {
				continue
			}
			items = append(items, function(f))
		}
	}
	return items
}

func function(f *syntax.FunctionDecl) Item {
	var args []string
	for i, p := range f.Params {
		args = append(args, argument(f.Name, p.Name, p.Type == "string", i))
	}
	item := Item{Name: fmt.Sprintf("%s/%d", f.Name, len(f.Params)), Function: true}
	call := f.Name + "(" + strings.Join(args, ", ") + ")"
	switch {
	case calls[f.Name] != "":
		item.Code = calls[f.Name]
	case f.Result == "string":
		item.Code = "v += strlen(" + call + ")"
	case f.Result == "long":
		item.Code = "v += " + call
	default:
		item.Code = call
	}
	if f.Name == "log" || f.Name == "system" || strings.HasPrefix(f.Name, "print_") || strings.HasPrefix(f.Name, "ansi_") {
		item.Records = 8 // print_regs has seven lines
	}
	return item
}

// argument is the argument for a parameter in the i-th call.
func argument(function, name string, text bool, i int) string {
	k := "k"
	if i > 0 {
		k = fmt.Sprintf("k + %d", i*5) // different elements of the lists
	}
	user := strings.HasPrefix(function, "user_") || strings.Contains(function, "_user_")
	switch {
	case text && (name == "stk" || name == "callers"):
		return "addresses(" + k + ")"
	case text:
		return "text(" + k + ")"
	case name == "addr" && strings.HasPrefix(function, "set_kernel_"):
		return "writable(" + k + ")"
	case name == "addr" && strings.HasPrefix(function, "set_user_"):
		return "unwritable(" + k + ")"
	case name == "addr" && user:
		return "user(" + k + ")"
	case name == "addr", name == "task":
		return "kernel(" + k + ")"
	}
	return "num(" + k + ")"
}
