// SPDX-License-Identifier: GPL-2.0-or-later

package fuzz

import (
	"fmt"
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/library"
)

// A generator writes pieces of scripts, valid and invalid ones.
type generator struct {
	c       *choices
	w       *world
	library *library.Library
	calls   []string    // names of the library's functions
	names   []string    // the script's own identifiers
	params  []btf.Param // variables at the last probe point
	types   btf.Table   // the table of their types
}

func (g *generator) name() string {
	if len(g.names) > 0 && !g.c.one(4) {
		return pick(g.c, g.names...)
	}
	return pick(g.c, "x", "y", "a", "b", "s", "next1", "if1")
}

func (g *generator) number() string {
	return pick(g.c, "1", "0", "2", "-1", "3", "8", "100", "4096", "0x7fffffffffffffff", "-0x8000000000000000", "0xffffffffffffffff", "0xffffffff81000000", "017", "65536", "1000000000")
}

func (g *generator) text() string {
	return pick(g.c, `"a"`, `""`, `"%d %s"`, `"%"`, `"\n"`, `"(a|b)*c"`, `"["`, `"\x00\xff"`, `"^[a-z]+$"`, `"struct file"`, `"a" "b"`, "\""+strings.Repeat("x", 600)+"\"", "@1")
}

// expr writes an expression of at most the given depth.
func (g *generator) expr(depth int) string {
	if depth <= 0 || !g.c.more() {
		return pick(g.c, g.name(), g.number(), g.text(), g.name())
	}
	d := depth - 1
	switch g.c.n(26) {
	case 0:
		return g.name()
	case 1:
		return g.number()
	case 2:
		return g.text()
	case 3, 4, 5:
		return g.chain()
	case 6, 7:
		return g.call(d)
	case 8:
		return g.expr(d) + " " + pick(g.c, "+", "-", "*", "/", "%", "<<", ">>", ">>>", "&", "|", "^", "&&", "||", "==", "!=", "<", ">=", ".") + " " + g.expr(d)
	case 9:
		return pick(g.c, "-", "!", "~", "+", "++", "--") + g.expr(d)
	case 10:
		return fmt.Sprintf("(%s ? %s : %s)", g.expr(d), g.expr(d), g.expr(d))
	case 11:
		return g.assignable() + " " + pick(g.c, "=", "+=", ".=", "<<<", "-=", ">>=", "%=", "*=") + " " + g.expr(d)
	case 12:
		return g.assignable() + pick(g.c, "++", "--")
	case 13:
		return fmt.Sprintf("@defined(%s)", g.expr(d))
	case 14:
		return fmt.Sprintf("(@defined(%[1]s) ? %[1]s : %[2]s)", g.chain(), g.expr(d))
	case 15:
		return fmt.Sprintf("@choose_defined(%s, %s)", strings.TrimPrefix(g.chain(), "&"), g.expr(d)) + pick(g.c, "", "->"+g.name(), "[0]")
	case 16, 17:
		return g.cast()
	case 18:
		return fmt.Sprintf("[%s] in %s", g.list(d), g.name())
	case 19:
		return g.expr(d) + pick(g.c, " =~ ", " !~ ") + g.pieces("a", ".", "*", "+", "?", "[", "]", "^", "$", "(", ")", "|", "{2}", "{1,3}", "{", "}", "[:", ":]", "[[:alpha:]]", "[a-z]", "-", "\\\\", "\\\\w", ",", "\\377")
	case 20:
		return fmt.Sprintf("%s(%s%s)", pick(g.c, "@count", "@sum", "@min", "@max", "@avg", "@variance"), g.assignable(), pick(g.c, "", "", ", 3"))
	case 21:
		return g.histogram() + "[" + g.expr(d) + "]"
	case 22:
		return fmt.Sprintf("%s(%s)", pick(g.c, "sprint", "sprintln", "sprintf", "sprintd"), g.list(d))
	case 23:
		return pick(g.c, "%{ 1 %}", "%{ /* pure */ 2 %}", "%{ /* string */ \"x\" %}", "%{ /* pragma:read:"+g.name()+" */ 3 %}")
	case 24:
		return "%( " + pick(g.c, "1 == 1", "kernel_v >= \"6.5\"", "arch == \"x86_64\"", "CONFIG_SMP == \"y\"", "systemtap_v < \"5\"", "$# > 1", "guru_mode == 1") +
			" %? " + g.expr(d) + pick(g.c, " %: "+g.expr(d), "") + " %)"
	}
	return "(" + g.expr(d) + ")"
}

// assignable writes an lvalue.
func (g *generator) assignable() string {
	return pick(g.c, g.name(), g.name(), g.name()+"["+g.list(1)+"]", g.chain(), g.name()+"[*]")
}

func (g *generator) list(depth int) string {
	list := []string{g.expr(depth)}
	for len(list) < 4 && g.c.one(3) {
		list = append(list, pick(g.c, g.expr(depth), "*", g.expr(depth)))
	}
	return strings.Join(list, ", ")
}

func (g *generator) call(depth int) string {
	name := pick(g.c, pick(g.c, g.calls...), g.name())
	return name + "(" + pick(g.c, "", g.expr(depth), g.list(depth)) + ")"
}

func (g *generator) histogram() string {
	return pick(g.c, "@hist_log("+g.assignable()+")", fmt.Sprintf("@hist_linear(%s, %s, %s, %s)", g.assignable(), g.number(), g.number(), g.number()))
}

// statement writes one statement of at most the given depth.
func (g *generator) statement(depth int) string {
	d := depth - 1
	if depth <= 0 || !g.c.more() {
		return "println(" + g.expr(1) + ")"
	}
	switch g.c.n(18) {
	case 0, 1:
		return g.expr(3)
	case 2, 3:
		return pick(g.c, "println", "print", "printf", "printd") + "(" + pick(g.c, g.list(3), g.format(), g.histogram()) + ")"
	case 4:
		return fmt.Sprintf("if (%s) %s%s", g.expr(2), g.block(d), pick(g.c, "", " else "+g.statement(d)))
	case 5:
		return fmt.Sprintf("for (%s; %s; %s) %s", g.expr(1), g.expr(2), g.expr(1), g.block(d))
	case 6:
		return fmt.Sprintf("while (%s) %s", g.expr(2), g.block(d))
	case 7, 8:
		return fmt.Sprintf("foreach (%s in %s%s) %s", g.loop(), g.name(), pick(g.c, "", "[*]", "["+g.list(1)+"]", " limit "+g.expr(1), "- limit 3", "+", " @sum -"), g.block(d))
	case 9:
		return fmt.Sprintf("foreach (%s in %s) %s", g.loop(), g.histogram(), g.block(d))
	case 10:
		return fmt.Sprintf("try %s catch%s %s", g.block(d), pick(g.c, "", "("+g.name()+")"), g.block(d))
	case 11:
		return "delete " + g.assignable()
	case 12:
		return pick(g.c, "next", "return", "return "+g.expr(2), "break", "continue", ";")
	case 13:
		return g.assignable() + " = " + g.expr(3)
	case 14:
		return g.assignable() + " <<< " + g.expr(2)
	case 15:
		return g.name() + "[" + g.list(1) + "] = " + g.expr(2)
	}
	return g.block(d)
}

func (g *generator) loop() string {
	key := g.name() + pick(g.c, "", "+", "-", "+", " @count -")
	return pick(g.c, key, "["+key+", "+g.name()+"]", g.name()+" = "+key, g.name()+" = ["+key+", "+g.name()+"-]")
}

// pieces writes a string literal composed of elements of list.
func (g *generator) pieces(list ...string) string {
	var b strings.Builder
	for range 1 + g.c.n(8) {
		b.WriteString(pick(g.c, list...))
	}
	return `"` + b.String() + `"`
}

func (g *generator) format() string {
	return pick(g.c, g.pieces("%", "%d", "%s", "%5", ".3", ".*", "*", "-", "#", "0", "+", " ", "l", "h", "x", "X", "p", "c", "b", "m", "M", "%%", "n", "i", "u", "o", "text", "\\n"), `"%d %s\n"`, `"%5.*s|%-*d"`, `"%p %x %c %b %m %M"`, `"%4m"`, `"%"`, `"%%"`, `"%n"`, `"%1$d"`, `"%lld"`) + pick(g.c, "", ", "+g.list(2))
}

func (g *generator) block(depth int) string {
	list := []string{g.statement(depth)}
	for len(list) < 4 && g.c.one(3) {
		list = append(list, g.statement(depth))
	}
	return "{ " + strings.Join(list, "\n") + " }"
}

// declaration writes a top-level declaration.
func (g *generator) declaration() string {
	switch g.c.n(9) {
	case 0, 1, 2:
		return "probe " + g.points() + " " + g.block(3)
	case 3:
		return pick(g.c, "", "private ") + "global " + g.name() + pick(g.c, "", "[10]", "%", " = "+g.number(), " = "+g.text(), "[2]%", ", "+g.name())
	case 4:
		name := g.name()
		return fmt.Sprintf("probe %s%s %s %s %s\nprobe %[1]s%s %s", name, pick(g.c, "", ".a", ".a(1)"), pick(g.c, "=", "+="), g.points(), g.block(2), pick(g.c, "", ".a", ".*", "?", " !, begin"), g.block(2))
	case 5:
		return fmt.Sprintf("function %s%s (%s)%s %s", g.name(), pick(g.c, "", ":long", ":string"), pick(g.c, "", g.name(), g.name()+":string", g.name()+", "+g.name()+":long"), pick(g.c, "", ":1", ":-2"), g.block(3))
	case 6:
		return fmt.Sprintf("@define %s(%s) %%( %s %%)", g.name(), pick(g.c, g.name(), ""), pick(g.c, "@"+g.name()+" + 1", g.expr(2), "@"+g.name()+"("+g.expr(1)+")"))
	case 7:
		return "function " + g.name() + ":long (" + g.name() + ":long) %{ " + pick(g.c, "/* pure */ ", "", "/* guru */ ", "/* pragma:write:"+g.name()+" */ ") + "STAP_RETVALUE = 1; %}"
	}
	return "%{ /* nothing */ %}"
}
