// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Library writes the tapset library's embedded C functions as one C file,
// which is compiled with the runtime: against the kernel's headers there, and
// against libc's, with GS_HOST defined, on the host.
//
// What stands between %{ and %} is a function's body. It has
//
//	STAP_ARG_x         the argument x: gs_s64, or char * to a string
//	STAP_RETVALUE      the result: gs_s64, or char [MAXSTRINGLEN]
//	STAP_RETURN(v)     sets it and returns
//	STAP_ERROR(f, …)   raises an error, by a printf format, and returns
//	STAP_PRINTF(f, …)  writes to the output
//	STAP_NEXT          tries the next overload
//	CONTEXT            the struct gs_ctx *
//
// and may carry these marks in a comment:
//
//	/* pure */         it has no effects
//	/* point */        it asks for the probe point that was hit, its registers or
//	                   its stack: conditions, which are asked without, can't call it
//	/* points:T */     its result is the address of the kernel's type T, so that
//	                   what it is assigned to needs no @cast
//	/* maxlen:15 */    its result never has more than 15 bytes
//	/* user_stack */   it asks for programs' stacks, or what they have mapped:
//	                   the module gets room for what is known of their files
//	/* user_symbols */ and the consumer sends the names of their symbols
//	/* user_lines */   and it sends the lines of their code
//	/* kernel_lines */ it asks for lines of the kernel's code, which the consumer
//	                   sends
//	/* printed_lines */ it has the consumer print lines of the kernel's code
//	/* gs_str */       STAP_RETURN takes a struct gs_str and returns it as it
//	                   is: bytes that stay for the handler's run, a NUL behind
//	                   them, and not a part of an argument
//
// top is embedded C at the top level of library files, which goes before.
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
