// SPDX-License-Identifier: GPL-2.0-or-later

// Package generate makes hostile scripts: random, well-typed programs over the whole language, with
// numbers at their limits, strings that are too long, arrays that are too small and endless loops.
// Their output depends only on the seed, so that all correct runtimes print the same.
package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A Script is one file with its options.
type Script struct {
	Text     string
	Options  []string // of gostap's command line: -D NAME=VALUE
	Programs int      // number of its programs
}

// New returns the script of a seed. Each of its programs is a begin probe with globals and functions of
// its own; they are followed by a timer probe that fires several times, as frequent handlers are
// translated differently, and by an end probe that prints the final values of the globals.
func New(seed uint64, programs int) *Script {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0))}
	s := &Script{Programs: programs, Options: g.limits(seed, programs)}
	for i := range programs {
		g.program(fmt.Sprintf("p%d_", i))
	}
	g.timer("t_")
	g.ends()
	s.Text = g.b.String()
	return s
}

// limits chooses limits: mostly such that all programs run, sometimes such that an error ends the
// session.
// that an error ends the session.
func (g *generator) limits(seed uint64, programs int) []string {
	var o []string
	set := func(name string, n int) { o = append(o, "-D", fmt.Sprintf("%s=%d", name, n)) }
	if !g.chance(6) {
		set("MAXERRORS", programs+1000)
	} else if g.chance(2) {
		set("MAXERRORS", g.r.IntN(3))
	}
	// Each length needs a runtime of its own, which takes time to build.
	switch seed % 32 {
	case 16:
		set("MAXSTRINGLEN", 64)
	case 0:
		set("MAXSTRINGLEN", 2048)
	}
	if g.chance(4) {
		set("MAXNESTING", 2+g.r.IntN(30))
	}
	// Endless loops must print less than the buffers' size.
	set("MAXACTION_INTERRUPTIBLE", 50+g.r.IntN(1500))
	set("MAXACTION", 20+g.r.IntN(100))
	set("MAXMAPENTRIES", 1+g.r.IntN(20))
	return o
}

// generator writes one script.
type generator struct {
	r *rand.Rand
	b strings.Builder
	scope

	ended []string // statements of the end probe
}

// scope has what statements may refer to at their position.
type scope struct {
	prefix        string
	nums, strs    []string // variables that may be assigned to here
	globals       int      // number of globals in each of nums and strs
	stats         []stat
	arrays        []*array
	functions     []*function
	loops         int // number of loops around the statement
	counter       int // for unique names
	depth         int // nesting depth of statements
	isFunction    bool
	canReturn     byte            // type of the function's result, 0 outside
	visited       map[string]bool // arrays that a foreach iterates over here
	visitedStat   []string        // variables with the statistic of an element
	cheap         bool            // no more calls: the cost of functions must not explode
	noAssignments bool
	anywhere      bool // the probe fires on unpredictable CPUs
}

// array is an array of the program; value is 'l', 's' or 'x', a statistic.
type array struct {
	name  string
	keys  []byte
	value byte
	stat  stat
}

// stat is a statistic with its histogram, "" for none.
type stat struct{ name, hist string }

type function struct {
	name   string
	params []byte
	result byte // 0: none
}

func (g *generator) chance(n int) bool { return g.r.IntN(n) == 0 }

func (g *generator) pick(list []string) string { return list[g.r.IntN(len(list))] }

func (g *generator) name(kind string) string {
	g.counter++
	return fmt.Sprintf("%s%s%d", g.prefix, kind, g.counter)
}

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.b, "%s%s\n", strings.Repeat("\t", g.depth), fmt.Sprintf(format, args...))
}

// program writes globals, functions and a begin probe.
func (g *generator) program(prefix string) {
	g.scope = scope{prefix: prefix, visited: map[string]bool{}}
	g.declare()
	g.helpers()
	for range g.r.IntN(4) {
		g.function()
	}
	if g.chance(2) {
		g.recursion()
	}
	g.line("probe begin {")
	g.firsts()
	g.body(4+g.r.IntN(8), true)
	g.line("}")
	g.leftovers()
}

// timer writes a program whose probe fires twenty times.
func (g *generator) timer(prefix string) {
	g.scope = scope{prefix: prefix, visited: map[string]bool{}, anywhere: true}
	g.declare()
	g.helpers()
	g.line("global %shits", prefix)
	g.line("probe timer.us(%d) {", 100+g.r.IntN(300))
	g.line("\tif (%shits++ >= 20) { exit() next }", prefix)
	g.firsts()
	g.body(1+g.r.IntN(4), g.chance(2))
	g.line("}")
	g.leftovers()
}

// leftovers makes the end probe print the program's globals.
func (g *generator) leftovers() {
	for _, v := range append(g.nums[:g.globals:g.globals], g.strs[:g.globals]...) {
		g.ended = append(g.ended, fmt.Sprintf("println(%q, %s)", v+"=", v))
	}
	for _, s := range g.stats {
		g.ended = append(g.ended, fmt.Sprintf(`if (@count(%s)) printdln(" ", %q, @count(%[1]s), @sum(%[1]s), @min(%[1]s), @max(%[1]s), @avg(%[1]s))`, s.name, s.name))
	}
	for _, a := range g.arrays {
		keys := make([]string, len(a.keys))
		for i := range keys {
			keys[i] = fmt.Sprintf("e%d_%d%c", len(g.ended), i, a.keys[i])
		}
		value := a.name + "[" + strings.Join(keys, ", ") + "]"
		if a.value == 'x' {
			value = "@count(" + value + "), @sum(" + value + "), @max(" + value + ")"
		}
		g.ended = append(g.ended, fmt.Sprintf(`foreach ([%s] in %s) printdln(",", %[3]q, %[1]s, %[4]s)`, strings.Join(keys, ", "), a.name, a.name, value))
	}
}

// ends writes the probes that run last. Each has few statements, because of MAXACTION.
func (g *generator) ends() {
	for _, s := range g.ended {
		g.line("probe end { %s }", s)
	}
	g.line(`probe error { println("error probe") }`)
	g.line(`probe end { println("end probe") }`)
}

// declare writes the declarations of globals.
func (g *generator) declare() {
	g.globals = 1 + g.r.IntN(2)
	for range g.globals {
		n, s := g.name("n"), g.name("s")
		g.line("global %s = %s, %s = %s", n, strings.Trim(g.literal(), "()"), s, g.text())
		g.nums, g.strs = append(g.nums, n), append(g.strs, s)
	}
	for range g.r.IntN(3) {
		s := stat{name: g.name("x"), hist: g.histogram()}
		g.line("global %s", s.name)
		g.stats = append(g.stats, s)
	}
	for range 1 + g.r.IntN(3) {
		a := &array{name: g.name("a"), value: "llsx"[g.r.IntN(4)]}
		for range 1 + min(g.r.IntN(4)*g.r.IntN(4), 8) {
			a.keys = append(a.keys, "ls"[g.r.IntN(2)])
		}
		wrap, size := "", ""
		if g.chance(4) {
			wrap = "%"
		}
		if g.chance(2) {
			size = fmt.Sprintf("[%d]", 1+g.r.IntN(6))
		}
		if a.value == 'x' {
			a.stat.hist = g.histogram()
			if g.anywhere {
				wrap, size = "", "[5000]" // each CPU's part has its own limit, so it depends on the CPUs when one is full
			}
		}
		g.line("global %s%s%s", a.name, wrap, size)
		g.arrays = append(g.arrays, a)
	}
}

func (g *generator) histogram() string {
	switch g.r.IntN(3) {
	case 0:
		return "@hist_log(%s)"
	case 1:
		low := g.r.IntN(200) - 100
		step := 1 + g.r.IntN(20)
		return fmt.Sprintf("@hist_linear(%%s, %d, %d, %d)", low, low+step*(1+g.r.IntN(20)), step)
	}
	return ""
}

// helpers writes functions that change arrays: in a loop over an array its elements can be deleted and
// set only by a function. They also determine the arrays' types.
func (g *generator) helpers() {
	for _, a := range g.arrays {
		params, keys := []string{}, []string{}
		put := &function{name: g.prefix + "put_" + a.name, params: append([]byte(nil), a.keys...)}
		for i, k := range a.keys {
			keys = append(keys, fmt.Sprintf("k%d", i))
			params = append(params, fmt.Sprintf("k%d:%s", i, typeName(k)))
		}
		element := a.name + "[" + strings.Join(keys, ", ") + "]"
		drop := &function{name: g.prefix + "drop_" + a.name, params: a.keys}
		g.line("function %s (%s) { delete %s }", drop.name, strings.Join(params, ", "), element)
		switch a.value {
		case 'x':
			put.params = append(put.params, 'l')
			g.line("function %s (%s, v:long) { %s <<< v }", put.name, strings.Join(params, ", "), element)
		default:
			put.params = append(put.params, a.value)
			g.line("function %s (%s, v:%s) { %s = v }", put.name, strings.Join(params, ", "), typeName(a.value), element)
		}
		clear := &function{name: g.prefix + "clear_" + a.name}
		g.line("function %s () { delete %s }", clear.name, a.name)
		g.functions = append(g.functions, put, drop, clear)
	}
}

// firsts writes statements that determine the types of all declarations.
func (g *generator) firsts() {
	g.depth++
	for _, a := range g.arrays {
		g.line("%s;", g.callOf(g.helper("put_", a), 0))
	}
	for _, s := range g.stats {
		g.line("%s <<< %s;", s.name, g.small())
	}
	g.depth--
}

func typeName(t byte) string {
	if t == 's' {
		return "string"
	}
	return "long"
}

// function writes a function, which may call earlier ones.
func (g *generator) function() {
	f := &function{name: g.name("f"), result: "ls"[g.r.IntN(2)]}
	outer := g.scope
	var params []string
	g.isFunction, g.canReturn, g.cheap = true, f.result, true
	for range g.r.IntN(4) {
		t := "ls"[g.r.IntN(2)]
		p := g.name("p")
		f.params = append(f.params, t)
		params = append(params, p+":"+typeName(t))
		if t == 's' {
			g.strs = append(g.strs[:len(g.strs):len(g.strs)], p)
		} else {
			g.nums = append(g.nums[:len(g.nums):len(g.nums)], p)
		}
	}
	g.line("function %s:%s (%s) {", f.name, typeName(f.result), strings.Join(params, ", "))
	g.body(1+g.r.IntN(3), false)
	g.depth++
	g.line("return %s;", g.value(f.result, 3))
	g.depth--
	g.line("}")
	counter := g.counter
	g.scope = outer
	g.counter = counter
	g.functions = append(g.functions, f)
}

// recursion writes a function that calls itself, to the depth of its first argument: too deep, if that
// is large.
func (g *generator) recursion() {
	f := &function{name: g.name("r"), params: []byte("ls"), result: "ls"[g.r.IntN(2)]}
	outer := g.scope
	n, s := g.name("p"), g.name("p")
	g.isFunction, g.canReturn, g.cheap, g.noAssignments = true, f.result, true, true
	g.strs = append(g.strs[:len(g.strs):len(g.strs)], s)
	g.line("function %s:%s (%s:long, %s:string) {", f.name, typeName(f.result), n, s)
	g.depth++
	g.line("if (%s <= 0) return %s;", n, g.value(f.result, 2))
	if g.chance(2) {
		g.line("%s .= %s;", s, g.str(1))
	}
	call := fmt.Sprintf("%s(%s - 1, %s)", f.name, n, g.str(1))
	if f.result == 's' {
		g.line("return %s . %s;", call, g.str(1))
	} else {
		g.line("return %s %s %s;", g.num(1), g.pick([]string{"+", "-", "*", "^"}), call)
	}
	g.depth--
	g.line("}")
	counter := g.counter
	g.scope = outer
	g.counter = counter
	g.functions = append(g.functions, f)
}

// body writes a block's locals, statements and, if show is set, prints of all variables.
func (g *generator) body(n int, show bool) {
	outer := g.scope
	g.depth++
	for range 1 + g.r.IntN(2) {
		v, s := g.name("i"), g.name("t")
		g.line("%s = %s;", v, g.num(1))
		g.line("%s = %s;", s, g.str(1))
		g.nums = append(g.nums[:len(g.nums):len(g.nums)], v)
		g.strs = append(g.strs[:len(g.strs):len(g.strs)], s)
	}
	for range n {
		g.statement()
	}
	if show {
		for _, v := range append(g.nums[:len(g.nums):len(g.nums)], g.strs...) {
			g.line("println(%q, %s)", v+"=", v)
		}
	}
	g.depth--
	counter := g.counter
	g.scope = outer
	g.counter = counter
}
