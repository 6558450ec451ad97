// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"slices"
	"strings"
)

// A Func is one function of the kernel itself or of a module. Its names need not be unique:
// static functions of several files may share one.
type Func struct {
	Name   string
	Addr   uint64 // as linked, without KASLR
	Offset int64  // from _stext
	Size   uint32 // to the next symbol
	Kind   byte   // as in nm(1): T, t, W or w
	// Ftrace is set if the function begins with a call that ftrace can patch.
	Ftrace bool
	// Exported is set if modules may use the function.
	Exported bool
	// Refusal says why the function can't be probed.
	Refusal Refusal
}

// Base returns the name in the source: without .isra.0, .constprop.0 and the
// like, which the compiler adds to functions whose parameters it changes.
func (f *Func) Base() string { return base(f.Name) }

func base(name string) string {
	for i := 1; i < len(name); i++ {
		if name[i] == '.' && isSuffix(name[i+1:]) {
			return name[:i]
		}
	}
	return name
}

// suffixes are the suffixes that compilers append to names of functions, behind a dot.
var suffixes = []string{"isra", "constprop", "part", "cold", "lto_priv", "localalias", "llvm"}

// isSuffix reports whether the text behind a dot is a compiler's suffix; a number may follow it.
// Go's names have other dots.
func isSuffix(text string) bool {
	text, _, _ = strings.Cut(text, ".")
	return text != "" && strings.Trim(text, "0123456789") == "" || slices.Contains(suffixes, text)
}

// IsPart reports whether f is a part that the compiler has split off a function.
func (f *Func) IsPart() bool { return strings.Contains(f.Name, ".part.") }

// A Refusal is a reason for which a function can't be probed.
type Refusal uint8

// The reasons why functions can't be probed.
const (
	Probeable   Refusal = iota
	Init                // __init and __exit code is gone once the kernel has booted
	Blacklisted         // NOKPROBE_SYMBOL and nokprobe_inline
	Noinstr             // noinstr
	Entry               // .entry.text
	Kprobes             // __kprobes
	Trampoline          // a static call's, which the kernel rewrites
	ModuleInit          // __init and __exit code of a module
	AtBranch            // it begins with a static branch
	AtCall              // it begins with a static call
	AtBug               // it begins with a BUG or WARN

	lastRefusal = AtBug
)

// OnlyEntry reports whether the reason concerns the function's first instruction
// only, and not the rest.
func (r Refusal) OnlyEntry() bool { return r == AtBranch || r == AtCall || r == AtBug }

// String returns the reason as the second half of a sentence that begins with
// the function's name.
func (r Refusal) String() string {
	return [...]string{
		Probeable:   "can be probed",
		Init:        "is initialization code, which is gone once the kernel has booted",
		Blacklisted: "is on the kernel's kprobes blacklist (NOKPROBE_SYMBOL)",
		Noinstr:     "is noinstr code, where no probe is safe, and on the kernel's kprobes blacklist",
		Entry:       "is code of the kernel's entry, where no probe is safe, and on the kernel's kprobes blacklist",
		Kprobes:     "is __kprobes code, which kprobes themselves use, and on their blacklist",
		ModuleInit:  "is __init or __exit code of the module",
		Trampoline:  "is a static call's trampoline, which the kernel rewrites",
		AtBranch:    "begins with " + reservedFor[staticBranch],
		AtCall:      "begins with " + reservedFor[staticCall],
		AtBug:       "begins with " + reservedFor[bug],
	}[r]
}
