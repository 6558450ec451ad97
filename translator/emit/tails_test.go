// SPDX-License-Identifier: GPL-2.0-or-later

package emit_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gostap/translator/check"
	"gostap/translator/emit"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// aliased translates a script with one handler for the probes of a library's aliases.
func aliased(t *testing.T, library, script string) *emit.Output {
	t.Helper()
	e := &program.Elaborated{Values: map[syntax.Expr]*program.Value{}}
	var bodies []*syntax.Block
	for _, src := range []*syntax.Source{{Path: "library.stp", Origin: syntax.Tapset, Text: []byte(library)}, {Path: "x.stp", Text: []byte(script)}} {
		file, diags := syntax.Parse(src, &syntax.Env{Guru: true, Runtime: "host"})
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		e.Files = append(e.Files, file)
		for _, d := range file.Decls {
			if pr, ok := d.(*syntax.ProbeDecl); ok {
				bodies = append(bodies, pr.Body)
			}
		}
	}
	last := len(bodies) - 1
	for i, body := range bodies[:last] {
		e.Probes = append(e.Probes, &program.ElaboratedProbe{
			Name:   "x",
			Points: []*program.Point{{Family: "timer", Name: fmt.Sprint("timer.us(", i+1, ")"), Args: [2]int64{int64(i + 1)}}},
			Bodies: []*syntax.Block{body, bodies[last]},
			Values: map[syntax.Expr]*program.Value{},
		})
	}
	p, diags := check.Check(e, check.Options{Guru: true})
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	out, err := emit.Emit(p, emit.Options{Limits: emit.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTails: the common end of many handlers is written once and takes their locks, and their beginning
// is written once apart from constants.
func TestTails(t *testing.T) {
	var script strings.Builder
	for i := range 20 {
		fmt.Fprintf(&script, "probe x { name = \"x%d\" }\n", i)
	}
	c := aliased(t, script.String(), "global n probe x { n[name]++ }").C
	for text, want := range map[string]int{"put_keys0(c, ": 1, "gs_write_lock(c": 1, "SHARED void tail_0_locks(": 2, "\ttail_0_locks(c": 1, "SHARED void head_0(": 1, "&rows_head_0[": 20} {
		if n := bytes.Count(c, []byte(text)); n != want {
			t.Errorf("%q stands %d times in C, not %d:\n%s", text, n, want, c)
		}
	}
	few := aliased(t, "probe x { name = \"a\" } probe x { name = \"b\" }", "global n probe x { n[name]++ }").C
	if bytes.Contains(few, []byte("tail_")) {
		t.Errorf("a script of two handlers pays for calls:\n%s", few)
	}
}

// TestTailTouchesGlobals: a handler that needs locks before its tail also holds them in the tail.
func TestTailTouchesGlobals(t *testing.T) {
	var script strings.Builder
	script.WriteString("global m\n")
	for i := range 20 {
		fmt.Fprintf(&script, "probe x { name = sprint(%d) if (!(%d in m)) m[%d] = 1 }\n", i, i, i)
	}
	c := aliased(t, script.String(), "global n probe x { n[name] += m[3] }").C
	for text, want := range map[string]int{"_locks(": 0, "\ttail_0(c": 20} {
		if n := bytes.Count(c, []byte(text)); n != want {
			t.Errorf("%q stands %d times in C, not %d:\n%s", text, n, want, c)
		}
	}
	tail := c[bytes.LastIndex(c, []byte("SHARED void tail_0(")):]
	tail = tail[:bytes.Index(tail, []byte("\n}"))]
	if bytes.Contains(tail, []byte("lock")) {
		t.Errorf("the tail takes or frees locks:\n%s", tail)
	}
}
