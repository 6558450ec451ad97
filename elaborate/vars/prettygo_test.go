// SPDX-License-Identifier: GPL-2.0-or-later

package vars_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gostap/elaborate/internal/compiled"
	"gostap/elaborate/internal/elaborated"
)

const goText = `package main

import "os"

type pair struct { a, b int32 }

//go:noinline
func one(n int16) int { return int(n) * len(os.Args) }

//go:noinline
func several(s string, p pair, f float64) (head string, ok bool, g float32, err error) { return s[:p.a], f > 1, float32(f), nil }

//go:noinline
func blank(p pair) (int8, pair) { return int8(p.a), pair{p.b, p.a} }

//go:noinline
func stacked(a [2]int, n int) (r [3]int, ok bool) { return [3]int{a[0], a[1], n}, true }

//go:noinline
func none(n []int, m map[string]int, e error) { os.Exit(n[0] + m["x"]) }

//go:noinline
func caught(n int) (at int, err error) {
	defer func() { recover(); at = n }()
	return one(int16(n)), err
}

func main() {
	caught(len(os.Args))
	several("x", pair{1, 2}, 2)
	blank(pair{})
	stacked([2]int{}, one(1))
	none([]int{0}, nil, nil)
}
`

// goProgram compiles a Go program.
func goProgram(t *testing.T, text string, flags ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	from, to := filepath.Join(dir, "prog.go"), filepath.Join(dir, "prog")
	if err := os.WriteFile(from, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	compiled.Run(t, "go", append(append([]string{"build"}, flags...), "-o", to, from)...)
	return to
}

// TestGoResults checks the locations of Go functions' results by ABIInternal: integers in AX, BX, CX,
// DI, SI (DWARF's 0, 3, 2, 5, 4), floating point from X0 (17) on, arrays on the stack behind the
// arguments.
func TestGoResults(t *testing.T) {
	cases := []struct{ script, want string }{
		{`one").return { println($return) }`, "reg0"},
		{`one").return { println($$return) }`, `sprintf("return=%#x", reg0)`},
		{`several").return { println($return->head->len, $return[0]->str) }`, "reg3 reg0"},
		{`several").return { println($ok, $return[1]) }`, "u1(u1(reg2)) u1(u1(reg2))"},
		{`several").return { println($return->g) }`, "{fp32_to_fp64($operand)}"},
		{`several").return { println($return->err->data) }`, "reg4"},
		{`blank").return { println($return->r0, $return->r1->b) }`, "s1(u1(reg0)) s4(((u4(reg3) | (u4(reg2) << 32)) >>> 32))"},
		{`stacked").return { println($return->r[1], $return->ok) }`, "s8[user (reg7 + 32)] u1(u1(reg0))"},
		{`several").return { println($p->b) }`, "saved0"},
		{`stacked") { println($a[1], $n) }`, "s8[user ((reg7 + 8) + 8)] reg0"},
		{`several") { println($s[1], $p->b, $f) }`, "reg17"},
		{`none") { println($n[3], $n->cap) }`, "s8[user (*program.Cond + 24)] arg3"},
		{`several").return { println($return) }`, "main.several returns 4 values: $return->head, $return->ok, $return->g, $return->err"},
		{`several").return { println($return[4]) }`, "returns 4 values"},
		{`none").return { println($return) }`, "main.none returns nothing"},
		{`caught").return { println($return->at, $return[1]->data) }`, "reg0 reg2"},
	}
	for _, path := range []string{goProgram(t, goText), goProgram(t, goText, "-gcflags=-N -l")} {
		script := ""
		for _, c := range cases {
			script += fmt.Sprintf("probe process(%q).function(\"main.%s\n", path, c.script)
		}
		e, diags := elaborated.OnProgram(t, script)
		if diags != nil {
			t.Fatal(diags)
		}
		for i, c := range cases {
			if got := strings.Join(elaborated.Values(e.Probes[i]), " "); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s, want %s", c.script, got, c.want)
			}
		}
	}
}

// TestGoDynamic shows values whose types may be nested without end.
func TestGoDynamic(t *testing.T) {
	const text = `package main

import ("fmt"; "os")

type wrapped struct { err error; more []error; any map[string]error }
func (w *wrapped) Error() string { return "wrapped" }
type other struct { wrapped; err error }
func (o *other) Error() string { return "other" }

//go:noinline
func show(e error, list []error, m map[string]error, a any) { fmt.Println(e, list, m, a) }

func main() { show(&wrapped{}, []error{&other{}, os.ErrNotExist}, nil, 1) }
`
	e, diags := elaborated.OnProgram(t, fmt.Sprintf("probe process(%q).function(\"main.show\") { println($$parms$$) }", goProgram(t, text)))
	if diags != nil {
		t.Fatal(diags)
	}
	got := strings.Join(elaborated.Values(e.Probes[0]), " ")
	if len(got) > 1<<20 {
		t.Errorf("%d bytes", len(got))
	}
}
