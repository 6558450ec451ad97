// SPDX-License-Identifier: GPL-2.0-or-later

package generate

import (
	"fmt"
	"strings"
)

// maxDepth is the maximal nesting depth of statements.
const maxDepth = 4

// block writes statements and the brace that closes them.
func (g *generator) block(n int) {
	g.depth++
	for range n {
		g.statement()
	}
	g.depth--
}

// statement writes a random statement.
func (g *generator) statement() {
	kind := g.r.IntN(34)
	if g.depth >= maxDepth {
		kind = g.r.IntN(18)
	}
	switch kind {
	case 0, 1, 2:
		if v := g.assign(3); v != "" {
			g.line("%s;", v)
		}
	case 3, 4:
		if g.assignable() {
			g.line("%s %s %s;", g.pick(g.strs), g.pick([]string{"=", ".="}), g.str(3))
		}
	case 5, 6, 7:
		g.store()
	case 8, 9:
		g.line("%s;", g.print("", 3))
	case 10, 11:
		g.line("%s;", g.printf("printf", 3))
	case 12:
		g.remove()
	case 13:
		g.line("%s;", g.pick([]string{
			`error("my own")`, "error(" + g.str(1) + ")", `warn("careful")`, "assert(" + g.num(2) + ")", "print(" + g.str(1) + ")", "print(" + g.num(1) + ")",
		}))
	case 14:
		g.leave()
	case 15, 16:
		if c := g.call("ls"[g.r.IntN(2)], 2); c != "" {
			g.line("%s;", c)
		}
	case 17:
		g.histograms()
	case 18, 19, 20, 21:
		g.line("if (%s) {", g.num(3))
		g.block(1 + g.r.IntN(3))
		if g.chance(2) {
			g.line("} else {")
			g.block(1 + g.r.IntN(3))
		}
		g.line("}")
	case 22, 23:
		g.try()
	case 24, 25, 26:
		g.loop()
	case 27, 28, 29, 30, 31:
		g.foreach()
	case 32:
		g.match()
	case 33:
		g.fill()
	}
}

// store writes a change of an array or an addition to a statistic.
func (g *generator) store() {
	if len(g.stats) > 0 && g.chance(3) {
		g.line("%s <<< %s;", g.stats[g.r.IntN(len(g.stats))].name, g.small())
		return
	}
	a := g.array(0)
	if !g.changeable(a) {
		return
	}
	if g.chance(3) {
		g.line("%s;", g.callOf(g.helper("put_", a), 1))
		return
	}
	e := g.element(a, 2)
	switch a.value {
	case 'x':
		g.line("%s <<< %s;", e, g.small())
	case 's':
		g.line("%s %s %s;", e, g.pick([]string{"=", ".="}), g.str(2))
	default:
		if g.chance(3) {
			g.line("%s%s;", e, g.pick([]string{"++", "--"}))
		} else {
			g.line("%s %s %s;", e, g.pick(assignment), g.num(2))
		}
	}
}

// small is a number in the range of histograms, mostly.
func (g *generator) small() string {
	if g.chance(3) {
		return g.num(2)
	}
	return fmt.Sprint(g.r.IntN(200) - 50)
}

// helper returns the helper function of an array.
func (g *generator) helper(what string, a *array) *function {
	for _, f := range g.functions {
		if f.name == g.prefix+what+a.name {
			return f
		}
	}
	panic("no function " + what + a.name)
}

func (g *generator) remove() {
	a := g.array(0)
	switch {
	case g.visited[a.name] || g.isFunction:
		g.line("%s;", g.callOf(g.helper(g.pick([]string{"drop_", "drop_", "clear_"}), a), 1))
	case len(g.stats) > 0 && g.chance(4):
		g.line("delete %s;", g.stats[g.r.IntN(len(g.stats))].name)
	case g.chance(4):
		g.line("delete %s;", a.name)
	default:
		g.line("delete %s[%s];", a.name, g.keys(a, 1, g.chance(3)))
	}
}

// leave writes a jump, if there is a loop or function to leave.
func (g *generator) leave() {
	condition := fmt.Sprintf("if (%s) ", g.num(2))
	switch {
	case g.loops > 0 && g.chance(2):
		g.line("%s%s;", condition, g.pick([]string{"break", "continue"}))
	case g.canReturn != 0:
		g.line("%sreturn %s;", condition, g.value(g.canReturn, 2))
	case g.chance(3) && !g.isFunction:
		g.line("%snext;", condition)
	}
}

// try writes a try statement, with or without a variable.
func (g *generator) try() {
	g.line("try {")
	g.block(1 + g.r.IntN(4))
	if g.chance(3) {
		g.line("} catch {")
	} else {
		v := g.pick(g.strs)
		g.line("} catch (%s) {", v)
		g.line("\tprintln(\"caught \", %s);", v)
	}
	g.block(g.r.IntN(3))
	g.line("}")
}

// loop writes while and for. Most end after a few iterations.
func (g *generator) loop() {
	v := g.name("w")
	outer := g.scope
	g.loops++
	switch g.r.IntN(8) {
	case 0:
		g.line("while (%s) {", g.num(2)) // may be endless
	case 1, 2, 3:
		g.line("%s = 0;", v)
		g.line("while (%s++ < %d) {", v, 1+g.r.IntN(6))
	case 4:
		g.line("for (%s = %s; %s; %s) {", v, g.num(1), g.num(2), g.num(1))
	default:
		g.line("for (%s = 0; %[1]s < %d; %[1]s++) {", v, 1+g.r.IntN(8))
		g.nums = append(g.nums[:len(g.nums):len(g.nums)], v)
	}
	g.block(1 + g.r.IntN(3))
	g.line("}")
	counter := g.counter
	g.scope = outer
	g.counter = counter
}

// foreach writes a loop over an array: sorted by keys or values, over all or some of its elements.
func (g *generator) foreach() {
	a := g.array(0)
	outer := g.scope
	g.loops++
	g.visited = map[string]bool{a.name: true}
	for name := range outer.visited {
		g.visited[name] = true
	}
	sign := func() string { return g.pick([]string{"+", "-"}) }
	order := g.r.IntN(4) // 0: none, 1: by a key, 2: by the value, 3: by a figure of a statistic
	array := a.name
	if g.chance(4) {
		array += "[" + g.keys(a, 1, true) + "]"
	}
	switch {
	case order == 2:
		array += sign()
	case order == 3 && a.value == 'x':
		array += " " + g.pick([]string{"@count", "@sum", "@min", "@max", "@avg"}) + sign()
	}
	if g.chance(3) {
		array += " limit " + g.pick([]string{"0", "1", "2", "3", g.num(1)})
	}
	by := g.r.IntN(len(a.keys))
	var keys []string
	nums, strs := g.nums[:len(g.nums):len(g.nums)], g.strs[:len(g.strs):len(g.strs)]
	for i, t := range a.keys {
		k := g.name("k")
		if t == 's' {
			strs = append(strs, k)
		} else {
			nums = append(nums, k)
		}
		if order == 1 && i == by {
			k += sign()
		}
		keys = append(keys, k)
	}
	value := ""
	if g.chance(2) {
		value = g.name("v")
		switch a.value {
		case 's':
			strs = append(strs, value)
		case 'l':
			nums = append(nums, value)
		default:
			g.visitedStat = append(g.visitedStat[:len(g.visitedStat):len(g.visitedStat)], value)
		}
		value += " = "
	}
	g.line("foreach (%s[%s] in %s) {", value, strings.Join(keys, ", "), array)
	g.nums, g.strs = nums, strs
	g.block(1 + g.r.IntN(3))
	g.line("}")
	counter := g.counter
	g.scope = outer
	g.counter = counter
}

// match writes a match of a regular expression, and prints what it matched.
func (g *generator) match() {
	g.line("if (%s =~ %s) {", g.str(2), g.regex())
	g.line("\tprintln(ngroups(), \":\", matched(0), \":\", matched(%d));", g.r.IntN(5))
	g.block(g.r.IntN(2))
	g.line("}")
}

// histograms writes a print of a histogram, and a loop over its buckets.
func (g *generator) histograms() {
	for _, s := range g.stats {
		if s.hist == "" {
			continue
		}
		h := fmt.Sprintf(s.hist, s.name)
		if g.chance(2) {
			g.line("print(%s);", h)
		} else {
			v := g.name("h")
			g.line("foreach (%s in %s) if (%s[%s]) printf(\"%%d:%%d \", %[1]s, %[3]s[%[1]s]);", v, h, h, v)
		}
		return
	}
}

// fill writes more elements into an array than it may have room for.
func (g *generator) fill() {
	a := g.array(0)
	if !g.changeable(a) {
		return
	}
	v := g.name("w")
	keys := make([]string, len(a.keys))
	for i, t := range a.keys {
		keys[i] = v
		if t == 's' {
			keys[i] = fmt.Sprintf(`sprint(%s * 7)`, v)
		}
	}
	op := "="
	what := v
	switch a.value {
	case 's':
		what = fmt.Sprintf(`sprintf("%%d", %s)`, v)
	case 'x':
		op = "<<<"
	}
	g.line("for (%[1]s = 0; %[1]s < %[2]d; %[1]s++) %[3]s[%[4]s] %[5]s %[6]s;", v, 1+g.r.IntN(30), a.name, strings.Join(keys, ", "), op, what)
}
