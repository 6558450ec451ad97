// SPDX-License-Identifier: GPL-2.0-or-later

package fuzz

import (
	"fmt"
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/query"
	"gostap/elaborate/symbols"
)

// points writes a list of probe points, with marks and conditions.
func (g *generator) points() string {
	var b strings.Builder
	for i := 0; ; i++ {
		b.WriteString(g.point())
		b.WriteString(pick(g.c, "", "", "", " ?", " !", fmt.Sprintf(" if (%s)", g.expr(2)), fmt.Sprintf(" ? if (%s)", g.name())))
		if i == 3 || !g.c.one(4) {
			return b.String()
		}
		b.WriteString(", ")
	}
}

// point writes one probe point, component by component, by the completion of command lines: so it can
// be of any family.
func (g *generator) point() string {
	if g.c.one(12) {
		return pick(g.c, "begin.*", "*.function(\"x\")", "kernel.{function,statement}(\"vfs_read\")", "timer.**", "kernel**", "a.*.b", "$x.y")
	}
	if g.w.info != nil && g.c.one(4) {
		return `kernel.statement("` + g.statementAt() + `")` + pick(g.c, "", "", ".nearest")
	}
	text := ""
	for range 8 {
		list := query.Complete(text, g.library, g.w.target)
		if len(list) == 0 || text != "" && !g.c.more() {
			break
		}
		if text = g.argument(pick(g.c, list...)); g.c.one(3) && !strings.HasSuffix(text, ")") {
			break
		}
		text += "."
	}
	return strings.TrimSuffix(text, ".")
}

// argument writes a component's argument, if it has one.
func (g *generator) argument(text string) string {
	component := text[strings.LastIndexByte(text, '.')+1:]
	switch {
	case strings.HasSuffix(text, `("`):
		return text + g.quoted(strings.TrimSuffix(component, `("`)) + `")`
	case component == "statement(" && g.w.kernel != nil:
		return text + fmt.Sprintf("%#x", g.function().Addr+uint64(g.c.n(32))) + ")"
	case component == "callees(":
		return text + pick(g.c, "1", "2", "3", "0", "17") + ")" // larger numbers take long, and are bounded
	case strings.HasSuffix(text, "("):
		return text + g.number() + ")"
	}
	return text
}

func (g *generator) quoted(component string) string {
	switch component {
	case "function", "callee":
		return g.functionPattern()
	case "statement":
		if g.w.info != nil && !g.c.one(4) {
			return g.statementAt()
		}
		return g.functionPattern() + g.place()
	case "module":
		name := pick(g.c, g.w.modules...)
		return pick(g.c, name, name, cut(g.c, name)+"*")
	case "trace":
		name := pick(g.c, g.w.tracepoints...)
		g.params = g.traceParams(name)
		return pick(g.c, name, name[strings.IndexByte(name, ':')+1:], cut(g.c, name)+"*")
	case "data":
		return pick(g.c, g.w.objects...)
	}
	return pick(g.c, "out", "*", "err*", "", "a\\\\b")
}

// functionPattern writes a function's name, or a pattern.
func (g *generator) functionPattern() string {
	if g.w.kernel == nil {
		return "vfs_read"
	}
	f := g.function()
	g.params = g.prototype(f.Name, btf.Function)
	return pick(g.c, f.Name, f.Base(), f.Base(), cut(g.c, f.Name)+"*", f.Base()+"@"+g.file(), f.Base()+"@*", "*@"+g.file())
}

func (g *generator) function() symbols.Func { return g.w.kernel.Func(g.c.n(g.w.kernel.Count())) }

// statementAt writes a position in a function that debuginfo has, and makes the variables there
// available.
func (g *generator) statementAt() string {
	function := g.function()
	list := g.w.info.Lookup(function.Base())
	if len(list) == 0 {
		return g.functionPattern() + g.place()
	}
	f := pick(g.c, list...)
	in := pick(g.c, f.Instances()...)
	statements, err := g.w.info.Statements(in)
	if err != nil || len(statements) == 0 {
		return fmt.Sprintf("%s@%s", f.Name, f.File)
	}
	st := pick(g.c, statements...)
	g.params, g.types = nil, g.w.info.Types()
	if scope, err := g.w.info.Scope(in, st.Addr); err == nil {
		for _, v := range scope.Variables() {
			g.params = append(g.params, btf.Param{Name: v.Name, Type: v.Type})
		}
	}
	return fmt.Sprintf("%s@%s%s", f.Name, f.File, pick(g.c, fmt.Sprintf(":%d", st.Line), fmt.Sprintf("+%d", st.Line-f.Line), ":*", ""))
}

func (g *generator) file() string {
	name := pick(g.c, g.w.files...)
	return pick(g.c, name, name[strings.LastIndexByte(name, '/')+1:], cut(g.c, name)+"*", "fs/read_write.c")
}

// place writes the lines of a statement.
func (g *generator) place() string {
	if g.c.one(3) {
		return ""
	}
	return "@" + g.file() + pick(g.c, ":*", "+"+g.number(), ":"+g.number(), ":1-5", "+1-3", ":"+g.number()+"-", ":", "+1,3,5-9")
}

// cut truncates a name, to three letters at least so that not too many names match.
func cut(c *choices, name string) string {
	if len(name) < 4 {
		return name
	}
	return name[:3+c.n(len(name)-3)]
}

// prototype returns the parameters of the function or type of that name.
func (g *generator) prototype(name string, kind btf.Kind) []btf.Param {
	if g.w.types == nil {
		return nil
	}
	g.types = g.w.types
	for _, id := range g.w.types.Find(name, kind) {
		for kind == btf.Typedef && g.w.types.Kind(id) != btf.Prototype && id != 0 {
			id = g.w.types.Target(id)
		}
		if p, ok := g.w.types.Proto(id); ok {
			return p.Params
		}
	}
	return nil
}

func (g *generator) traceParams(event string) []btf.Param {
	params := g.prototype("btf_trace_"+event[strings.IndexByte(event, ':')+1:], btf.Typedef)
	return params[min(1, len(params)):]
}

// chain writes a target variable, mostly one that the probed function has, with accesses to members of
// its type.
func (g *generator) chain() string {
	if len(g.params) == 0 || g.c.one(4) {
		return g.strange()
	}
	p := pick(g.c, g.params...)
	return pick(g.c, "", "", "", "&") + "$" + p.Name + g.members(g.types, p.Type) + pick(g.c, "", "", "", "$", "$$")
}

// members writes accesses to members of a type.
func (g *generator) members(types btf.Table, id btf.ID) string {
	var b strings.Builder
	for range 6 {
		if !g.c.more() || g.c.one(4) {
			break
		}
		id = types.Strip(id)
		switch types.Kind(id) {
		case btf.Pointer:
			to := types.Strip(types.Target(id))
			if k := types.Kind(to); k == btf.Struct || k == btf.Union {
				id = g.member(&b, types, to)
				continue
			}
			id = to
			b.WriteString("[" + g.index() + "]")
		case btf.Array:
			id = types.Target(id)
			b.WriteString("[" + g.index() + "]")
		case btf.Struct, btf.Union:
			id = g.member(&b, types, id)
		default:
			return b.String()
		}
	}
	return b.String()
}

func (g *generator) index() string { return pick(g.c, "0", "1", g.number(), g.name(), g.expr(1)) }

// member writes an access to one of a struct's members and returns its type.
func (g *generator) member(b *strings.Builder, types btf.Table, id btf.ID) btf.ID {
	name := pick(g.c, types.MemberNames(id)...)
	m, _ := types.Member(id, name)
	fmt.Fprintf(b, "->%s", name)
	return m.Type
}

// cast writes a @cast to a kernel type.
func (g *generator) cast() string {
	if len(g.w.structs) == 0 {
		return `@cast(0, "struct file")->f_pos`
	}
	id := pick(g.c, g.w.structs...)
	name := g.w.types.Name(id)
	module := ""
	switch g.c.n(6) {
	case 4:
		module = fmt.Sprintf(", %q", pick(g.c, g.w.modules...))
	case 5:
		module = pick(g.c, `, "kernel"`, `, "vmlinux:x"`, `, "kernel<linux/fs.h>"`, `, ""`)
	}
	name = pick(g.c, name, "struct "+name, name+"*", "struct "+name+" *", "long", "char *", "union "+name)
	var b strings.Builder
	g.member(&b, g.w.types, id)
	m, _ := g.w.types.Member(id, strings.TrimPrefix(b.String(), "->"))
	return fmt.Sprintf("%s@cast(%s, %q%s)%s%s%s", pick(g.c, "", "", "&"), g.expr(2), name, module,
		pick(g.c, b.String()+g.members(g.w.types, m.Type), b.String(), "[0]", "[1]"+b.String(), ""), pick(g.c, "", "", "$", "$$"), "")
}

// strange writes an unusual text in place of a target variable.
func (g *generator) strange() string {
	return pick(g.c, "$$vars", "$$parms", "$$parms$", "$$locals$$", "$$return$", "$return", "$return->"+g.name(), "$nosuch", "$nosuch->a->b",
		"$$name", "$$system", "@var(\""+pick(g.c, g.w.objects...)+"\")", "&@var(\""+pick(g.c, g.w.objects...)+"\")",
		"@var(\""+pick(g.c, g.w.objects...)+"@"+g.file()+"\")", "@var(\"x\", \""+pick(g.c, g.w.modules...)+"\")",
		"@entry("+g.expr(2)+")", "@enum(\"PIDTYPE_TGID\")", "@enumname(\"pid_type\", "+g.expr(1)+")", "@kderef(8, "+g.expr(1)+")",
		"@uderef("+g.number()+", 1)", "@probewrite("+g.name()+")", "@task(task_current())->comm$", "@1", "$1", "@#", "$#", "$*", g.name()+"->"+g.name(),
		"("+g.expr(1)+")->x", g.name()+"->x[0]$")
}
