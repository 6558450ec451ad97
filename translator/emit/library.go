// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Library writes the tapset library's embedded C functions as one C file, which is compiled with the
// runtime: against the kernel's headers there, and against libc's, with GS_HOST defined, on the host.
//
// The text between %{ and %} is a function's body. It may use
//
// \tSTAP_ARG_x         the argument x: gs_s64, or char * to a string
// \tSTAP_RETVALUE      the result: gs_s64, or char [MAXSTRINGLEN]
// \tSTAP_RETURN(v)     sets the result and returns
// \tSTAP_ERROR(f, …)   raises an error, by a printf format, and returns
// \tSTAP_PRINTF(f, …)  writes to the output
// \tSTAP_NEXT          tries the next overload
// \tCONTEXT            the struct gs_ctx *
//
// and may have these marks in a comment:
//
// \t/* pure */         it has no effects
// \t/* point */        it reads the probe point that was hit, its registers or its
// \t                   stack: conditions, which may be evaluated without a point,
// \t                   can't call it
// \t/* points:T */     its result is the address of the kernel's type T, so that
// \t                   a variable that it is assigned to needs no @cast
// \t/* maxlen:15 */    its result never has more than 15 bytes
// \t/* user_stack */   it reads stacks or mappings of programs: the module allocates
// \t                   tables for their files
// \t/* user_symbols */ and the consumer sends the names of their symbols
// \t/* user_lines */   and the consumer sends the lines of their code
// \t/* kernel_lines */ it reads lines of the kernel's code, which the consumer sends
// \t/* printed_lines */ its output makes the consumer print lines of the kernel's code
// \t/* gs_str */       STAP_RETURN takes a struct gs_str and returns it without a
// \t                   copy: its bytes must stay valid for the handler's run, be
// \t                   followed by a NUL, and not be a part of an argument
//
// top is embedded C at the top level of library files, which is written before the functions.
func Library(top []*syntax.EmbeddedC, fns []*program.Function) []byte {
	w := embeddedHead()
	for _, code := range top {
		w.line("")
		w.at(code.At)
		w.line("%s", code.Text)
	}
	for _, fn := range fns {
		embeddedFunction(w, fn, false)
	}
	return w.Bytes()
}
