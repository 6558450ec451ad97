// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"gostap/translator/syntax"
)

// growing has texts whose parsing is easy to make quadratic: unit stands
// between head and tail any number of times.
var growing = []struct{ name, head, unit, tail string }{
	{"statements", "probe begin {", " x = y + 1\n", "}"},
	{"one line", "probe begin {", " x = y + 1;", "}"},
	{"errors", "probe begin {", " x = = 1\n", "}"},
	{"declarations", "", "probe begin {}\n", ""},
	{"globals", "", "global g\n", ""},
	{"junk", "", "\x01\xff ", ""},
	{"strings", "probe begin { x = ", "\"a\\n\" ", "}"},
	{"open brackets", "probe begin { x = ", "(", ""},
	{"open braces", "probe begin { ", "{", ""},
	{"conditionals", "", "%( 1 == 1 %? ", ""},
	{"closed conditionals", "", "%( 1 == 1 %? %) ", ""},
	{"stray ends", "", "%) ", ""},
	{"macros", "@define a %( %( 0 == 1 %? x x x x x x x x %) %)\n", "@a ", ""},
	{"macro arguments", "@define a(x) %( @x %) probe begin { y = ", "@a(", ""},
	{"definitions", "", "@define count %( %) ", ""},
	{"wildcards", "probe ", "a*", " {}"},
	{"points", "probe a", ", b.c", " {}"},
	{"operators", "probe begin { x = a", "\n+ b", "}"},
	{"unary operators", "probe begin { x = ", "! ", "a }"},
	{"else ifs", "probe begin { if (x) {}", " else if (y) {}", "}"},
	{"members", "probe begin { x = $a", "->b", "}"},
	{"arguments", "probe begin { x = f(a", ", b", ")}"},
	{"comments", "", "/* \n */ # x\n", ""},
	{"args", "probe begin { x = a", " + $1 . @1", "}"},
}

// growth measures parsing and formatting of the growing texts at two sizes:
// at 8 times the size, what is quadratic takes 64 times as long.
func growth() {
	fmt.Printf("parsing and formatting, shortest of %d\n", repeats)
	fmt.Printf("%-36s %10s %10s %10s\n", "", "2,000 units", "16,000", "times (8)")
	for _, text := range growing {
		small, large := parseTime(text.head, text.unit, text.tail, 2000), parseTime(text.head, text.unit, text.tail, 16000)
		fmt.Printf("%-36s %11s %10s %10.1f\n", text.name, tenths(small), tenths(large), float64(large)/float64(small))
	}
}

// parseTime is how long a text with n units takes. Most of the texts have
// errors; writing these is part of the time.
func parseTime(head, unit, tail string, n int) time.Duration {
	src := &syntax.Source{Path: "x", Text: []byte(head + strings.Repeat(unit, n) + tail)}
	env := &syntax.Env{Arch: "x86_64", Runtime: "host", Privilege: "stapdev", StapVersion: "4.8", Args: []string{"5"}}
	best := time.Hour
	for range repeats {
		start := time.Now()
		_, diags := syntax.Parse(src, env)
		diags.Write(io.Discard, false)
		syntax.Format(src)
		best = min(best, time.Since(start))
	}
	return best
}
