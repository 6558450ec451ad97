// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strings"

	"gostap/internal/lazyregexp"
	"gostap/translator/program"
)

// embeddedName is the C name of a script function of embedded C.
func embeddedName(fn *program.Function) string { return "gs_fn_" + cName(fn.Name) }

// strMark is the mark of code whose STAP_RETURN takes a struct gs_str.
var strMark = lazyregexp.MustCompile(`/\*\s*gs_str\s*\*/`)

// readsRegisters matches guru code that reads these members of the context, which are set only if it
// does.
var readsRegisters = lazyregexp.MustCompile(`\b[ku]regs\b`)

// paramName is a parameter's name in the C function.
func paramName(p *program.Local) string { return "gs_arg_" + cName(p.Name) }

// embedded evaluates %{ an expression %}.
func (b *body) embedded(e *program.Embedded) value {
	n := len(b.g.embedded)
	for i, known := range b.g.embedded {
		if known == e {
			n = i
		}
	}
	if n == len(b.g.embedded) {
		b.g.embedded = append(b.g.embedded, e)
		b.g.protos.line("extern %s;", embeddedExprHead(n, e))
	}
	args := ""
	for _, v := range b.values(e.Args, true) {
		args += ", " + v.c
	}
	t := b.temp()
	if e.Result == program.String {
		b.line("struct gs_str %s = gs_expr_%d(c, %s%s);", t, n, b.slot(b.g.bounds.maxLen+1), args)
	} else {
		b.line("gs_s64 %s = gs_expr_%d(c%s);", t, n, args)
	}
	b.check()
	return temporaryValue(t)
}

func embeddedExprHead(n int, e *program.Embedded) string {
	args := ""
	for _, p := range embeddedArgs(e) {
		args += fmt.Sprintf(", %s %s", cType(p.Type), paramName(p))
	}
	if e.Result == program.String {
		return fmt.Sprintf("struct gs_str gs_expr_%d(struct gs_ctx *gs_context, char *gs_ret%s)", n, args)
	}
	return fmt.Sprintf("gs_s64 gs_expr_%d(struct gs_ctx *gs_context%s)", n, args)
}

// embeddedArgs are the parameters that embedded C in an expression reads.
func embeddedArgs(e *program.Embedded) (params []*program.Local) {
	for _, arg := range e.Args {
		params = append(params, arg.(*program.LocalRef).Local)
	}
	return params
}

// defineArgs writes macros by which embedded C reads parameters as STAP_ARG_name; undefineArgs removes
// them.
func defineArgs(w *writer, params []*program.Local) {
	for _, p := range params {
		if p.Type == program.String {
			w.line("#define STAP_ARG_%s ((char *)%s.s)", p.Name, paramName(p))
		} else {
			w.line("#define STAP_ARG_%s %s", p.Name, paramName(p))
		}
	}
}

func undefineArgs(w *writer, params []*program.Local) {
	for _, p := range params {
		w.line("#undef STAP_ARG_%s", p.Name)
	}
}

// namedInC are the globals that guru code names in a pragma.
func namedInC(p *program.Program) map[*program.Global]bool {
	named := map[*program.Global]bool{}
	note := func(code string) {
		for gl := range pragmaUsage(code, p) {
			named[gl] = gl.Type != program.Stat
		}
	}
	v := visitor{expr: func(e program.Expr, _ bool) {
		if x, ok := e.(*program.Embedded); ok {
			note(x.Code.Text)
		}
	}}
	for _, fn := range p.Functions {
		if fn.Code != nil && !fn.Builtin {
			note(fn.Code.Text)
		}
		v.stmts(fn.Body)
	}
	for _, pr := range p.Probes {
		v.walk(pr.Cond, true)
		v.stmts(pr.Body)
	}
	return named
}

// accessors writes the functions by which guru code reads and sets globals, into the script's own file;
// the guru code's file, w, gets macros that call them.
func (g *gen) accessors(w *writer) {
	for _, gl := range g.p.Globals {
		if g.named[gl] {
			g.accessor(w, gl)
		}
	}
}

func (g *gen) accessor(w *writer, gl *program.Global) {
	name, cType := g.names[gl], "gs_s64"
	if gl.Type == program.String {
		cType = "const char *"
	}
	params, keys := "struct gs_ctx *c", ""
	for i, t := range gl.Keys {
		if t == program.String {
			params += fmt.Sprintf(", const char *k%d", i+1)
			keys += fmt.Sprintf(", gs_str_of(k%d, MAXSTRINGLEN - 1)", i+1)
		} else {
			params += fmt.Sprintf(", gs_s64 k%d", i+1)
			keys += fmt.Sprintf(", k%d", i+1)
		}
	}
	get := fmt.Sprintf("%s gs_get_%s(%s)", cType, name, params)
	set := fmt.Sprintf("void gs_set_%s(%s, %s value)", name, params, cType)
	for _, to := range []*writer{w, &g.protos} {
		to.line("%s;", get)
		to.line("%s;", set)
	}
	w.line("#define STAP_GLOBAL_GET_%s(...) gs_get_%s(CONTEXT, ##__VA_ARGS__)", gl.Name, name)
	w.line("#define STAP_GLOBAL_SET_%s(...) gs_set_%s(CONTEXT, ##__VA_ARGS__)", gl.Name, name)

	h, instance := &g.helpers, g.mainInstance(gl)
	v := instance
	h.line("")
	h.line("%s", get)
	h.open("{")
	if gl.Keys != nil {
		v = "n->v"
		h.line("struct node_%s *n = get_keys%d(&%s%s);", name, g.keySet(gl).n, instance, keys)
		h.line("")
		h.line("if (!n)")
		h.line("\treturn %s;", map[bool]string{true: `""`, false: "0"}[gl.Type == program.String])
	}
	h.line("(void)c;")
	if gl.Type == program.String {
		h.line("return %s.s;", v)
	} else {
		h.line("return %s;", v)
	}
	h.close("}")
	h.line("")
	h.line("%s", set)
	h.open("{")
	if gl.Keys != nil {
		h.line("struct node_%s *n = put_keys%d(c, &arrays[%d], &%s%s, \"\");", name, g.keySet(gl).n, g.arrayIndex(gl), instance, keys)
		h.line("")
		h.line("if (!n)")
		h.line("\treturn;")
	}
	h.line("(void)c;")
	if gl.Type == program.String {
		h.line("GS_SET(%s, gs_str_of(value, MAXSTRINGLEN - 1));", v)
	} else {
		h.line("%s = value;", v)
	}
	h.close("}")
}

// embeddedFile writes the guru code, nil if there is none.
func (g *gen) embeddedFile() []byte {
	var fns []*program.Function
	seen := map[*program.Function]bool{}
	for _, f := range g.queue {
		if f.fn.Code != nil && !f.fn.Builtin && !seen[f.fn] {
			seen[f.fn] = true
			fns = append(fns, f.fn)
		}
	}
	if len(fns) == 0 && len(g.p.Embedded) == 0 && len(g.embedded) == 0 {
		return nil
	}
	w := embeddedHead()
	w.line("#include \"gs_guru.h\"")
	if len(g.embedded) > 0 {
		w.line("#include \"constants.h\"")
	}
	g.defines(w)
	asks := false // any of the functions at the top level reads registers, for those that call them
	for _, code := range g.p.Embedded {
		asks = asks || readsRegisters().MatchString(code.Text)
		w.line("")
		w.at(code.At)
		w.line("%s", code.Text)
	}
	w.line("")
	w.line("#undef GS_DEREF_FAULT")
	w.line("#define GS_DEREF_FAULT gs_out")
	w.line("#undef CATCH_DEREF_FAULT")
	w.line("#define CATCH_DEREF_FAULT() ((void)0)")
	g.accessors(w)
	for i, e := range g.embedded {
		w.line("")
		defineArgs(w, embeddedArgs(e))
		w.line("%s;", embeddedExprHead(i, e))
		w.line("%s", embeddedExprHead(i, e))
		embeddedExpr(w, e, asks || readsRegisters().MatchString(e.Code.Text))
		undefineArgs(w, embeddedArgs(e))
	}
	for _, fn := range fns {
		embeddedFunction(w, fn, asks || readsRegisters().MatchString(fn.Code.Text))
	}
	return w.Bytes()
}

// defines writes macros for -D, and for the version of SystemTap that the script is written for.
func (g *gen) defines(w *writer) {
	version := "4, 8"
	if major, minor, ok := strings.Cut(g.opts.Compatible, "."); ok {
		version = major + ", " + minor
	}
	w.line("#define STAP_COMPAT_VERSION STAP_VERSION(%s)", version)
	for _, d := range g.opts.Defines {
		name, value, given := strings.Cut(d, "=")
		if !given {
			value = "1"
		}
		w.line("#undef %s", name)
		w.line("#define %s %s", name, value)
	}
}

// embeddedExpr writes the body of the function that evaluates %{ an expression %}; asks is whether it
// may read CONTEXT->kregs.
func embeddedExpr(w *writer, e *program.Embedded, asks bool) {
	w.open("{")
	value := "gs_retvalue"
	w.line("(void)gs_context;")
	if asks {
		w.line("gs_guru_registers(gs_context);")
	}
	if e.Result == program.String {
		value = "gs_put(gs_ret, MAXSTRINGLEN, gs_str_of(gs_retvalue, MAXSTRINGLEN))"
		w.line("const char *gs_retvalue = \"\";")
		w.at(e.Code.At)
		w.line("gs_retvalue = (%s);", e.Code.Text)
	} else {
		w.line("gs_s64 gs_retvalue = 0;")
		w.at(e.Code.At)
		w.line("gs_retvalue = (gs_s64)(%s);", e.Code.Text)
	}
	w.indent--
	w.line("gs_out:%s;", unused)
	w.indent++
	w.line("return %s;", value)
	w.close("}")
}

func embeddedHead() *writer {
	w := &writer{}
	w.line("/* SPDX-License-Identifier: GPL-2.0-or-later */")
	w.line("#include \"platform.h\"")
	w.line("#include \"gs_embed.h\"")
	return w
}

// embeddedFunction writes a script function around its embedded C; asks is whether that may read
// CONTEXT->kregs.
func embeddedFunction(w *writer, fn *program.Function, asks bool) {
	direct := strings.Contains(fn.Code.Text, "/* gs_str */") && fn.Result == program.String
	head := strings.Replace(params(fn, false, paramName), "struct gs_ctx *c", "struct gs_ctx *gs_context", 1)
	head = strings.Replace(head, "char *ret", "char *gs_ret", 1)
	w.line("")
	defineArgs(w, fn.Params)
	old := strings.Contains(fn.Code.Text, "THIS->")
	defineReturn(w, fn, direct)
	w.line("%s %s(%s);", cType(fn.Result), embeddedName(fn), head)
	w.line("%s %s(%s)", cType(fn.Result), embeddedName(fn), head)
	w.open("{")
	if fn.Result == program.Long {
		w.line("gs_s64 gs_retvalue = 0;")
	}
	w.line("(void)gs_context;")
	if asks {
		w.line("gs_guru_registers(gs_context);")
	}
	if old {
		oldNames(w, fn)
	}
	if fn.Result == program.String {
		w.line("gs_ret[0] = 0;")
	}
	// SystemTap's functions of C have no C result, so scripts leave them by a plain return.
	leaves := !direct && !fn.Builtin && strings.Contains(fn.Code.Text, "return")
	if leaves {
		w.line("#define return goto gs_out")
	}
	w.line("{")
	w.at(fn.Code.At)
	w.line("%s", fn.Code.Text)
	w.line("}")
	if leaves {
		w.line("#undef return")
	}
	w.indent--
	w.line("gs_out:%s;", unused)
	w.indent++
	if old {
		w.line("#undef THIS")
		if fn.Result == program.Long {
			w.line("if (gs_this.__retvalue)")
			w.line("\tgs_retvalue = gs_this.__retvalue;")
		}
	}
	switch fn.Result {
	case program.Long:
		w.line("return gs_retvalue;")
	case program.String:
		w.line("gs_ret[MAXSTRINGLEN - 1] = 0;")
		w.line("return gs_str_in_slot(gs_ret);")
	default:
		w.line("return;")
	}
	w.close("}")
	undefineArgs(w, fn.Params)
	w.line("#undef STAP_RETVALUE")
	w.line("#undef STAP_RETURN")
}

// defineReturn writes the macros by which embedded C sets its result and returns; direct: STAP_RETURN takes a struct
// gs_str.
func defineReturn(w *writer, fn *program.Function, direct bool) {
	switch {
	case direct:
		w.line("#define STAP_RETVALUE (*(char (*)[MAXSTRINGLEN])gs_ret)")
		w.line("#define STAP_RETURN(v) return (v)")
	case fn.Result == program.String:
		w.line("#define STAP_RETVALUE (*(char (*)[MAXSTRINGLEN])gs_ret)")
		w.line("#define STAP_RETURN(v) do { gs_put(gs_ret, MAXSTRINGLEN, gs_str_of((v), MAXSTRINGLEN)); goto gs_out; } while (0)")
	case fn.Result == program.Long:
		w.line("#define STAP_RETVALUE gs_retvalue")
		w.line("#define STAP_RETURN(v) do { gs_retvalue = (gs_s64)(v); goto gs_out; } while (0)")
	default:
		w.line("#define STAP_RETURN(...) goto gs_out")
	}
}

// oldNames defines THIS->x for arguments and THIS->__retvalue for the result, as in SystemTap 1.7.
func oldNames(w *writer, fn *program.Function) {
	var values []string
	w.open("struct {")
	for _, p := range fn.Params {
		if p.Type == program.String {
			w.line("char *%s;", p.Name)
			values = append(values, fmt.Sprintf("(char *)%s.s", paramName(p)))
		} else {
			w.line("gs_s64 %s;", p.Name)
			values = append(values, paramName(p))
		}
	}
	switch fn.Result {
	case program.String:
		w.line("char *__retvalue;")
		values = append(values, "gs_ret")
	default:
		w.line("gs_s64 __retvalue;")
		values = append(values, "0")
	}
	w.close("} gs_this %s = { %s };", unused, strings.Join(values, ", "))
	w.line("#define THIS (&gs_this)")
}
