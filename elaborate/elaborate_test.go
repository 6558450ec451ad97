// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/internal/bounded"
	"gostap/tapsets"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// onHost runs pass 1 and 2 over a script.
func onHost(t *testing.T, script string, folders ...library.Folder) (*program.Elaborated, syntax.Diagnostics) {
	t.Helper()
	env := &syntax.Env{Arch: "x86_64", Runtime: "host", StapVersion: "4.8"}
	lib, diags := library.Load(env, append([]library.Folder{{FS: tapsets.FS, Path: "tapset"}}, folders...)...)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	file, diags := syntax.Parse(&syntax.Source{Path: "test.stp", Text: []byte(script)}, env)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return elaborate.Elaborate([]*syntax.File{file}, lib, image.NewTarget("", false))
}

// summary writes a line for each probe: its points, and the first print of each body.
func summary(e *program.Elaborated) string {
	var b strings.Builder
	for _, p := range e.Probes {
		var points, prints []string
		for _, pt := range p.Points {
			points = append(points, fmt.Sprintf("%s[%d,%d]", pt.Name, pt.Args[0], pt.Args[1]))
		}
		for _, body := range p.Bodies {
			syntax.Inspect(body, func(n syntax.Node) bool {
				if n, ok := n.(*syntax.StringLit); ok {
					prints = append(prints, n.Value)
				}
				return true
			})
		}
		fmt.Fprintf(&b, "%s: %s if %d\n", strings.Join(points, " "), strings.Join(prints, " "), len(p.Conds))
	}
	return b.String()
}

func TestProbes(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"families", `probe begin, end(3), error, timer.ms(5).randomize(2), never { println("x") }`,
			"begin[0,0] end(3)[3,0] error[0,0] timer.ms(5).randomize(2)[5000000,2000000] never[0,0]: x if 0\n"},
		{"aliases nest", `probe a = begin { println("a") } probe b += a { println("b") }
			probe b if (1) { println("x") }`, "begin[0,0]: a x b if 1\n"},
		{"suffix", `probe every = timer { } probe every.s(1) { println("x") }`, "timer.s(1)[1000000000,0]: x if 0\n"},
		{"wildcard", `probe t.one = begin { println("1") } probe t.two = end { println("2") }
			probe t.* { println("x") }`, "begin[0,0]: 1 x if 0\nend[0,0]: 2 x if 0\n"},
		{"wildcards in families", `probe be*, en*(2) { println("x") }`, "begin[0,0] end(2)[2,0]: x if 0\n"},
		{"wildcards find families and aliases", `probe bell = end { println("1") } probe be* { println("x") }`, "begin[0,0]: x if 0\nend[0,0]: 1 x if 0\n"},
		{"double wildcard in the middle", `probe asis.b.open = begin { println("1") } probe asis.close = end { println("2") }
			probe *sis**pen { println("x") } probe asis.**.open { println("y") } probe **sis**lose { println("z") }`,
			"begin[0,0]: 1 x if 0\nbegin[0,0]: 1 y if 0\nend[0,0]: 2 z if 0\n"},
		{"suffix or a longer name", `probe t.one = begin { println("1") } probe t.one.s = end { println("2") } probe t.every = timer { println("3") }
			probe t.one.s { println("x") } probe t.*.s ? { println("y") } probe t.every.s(2) { println("z") }`,
			"end[0,0]: 2 x if 0\nend[0,0]: 2 y if 0\ntimer.s(2)[2000000000,0]: 3 z if 0\n"},
		{"braces", `probe t.one = begin { println("1") } probe t.two = end { println("2") } probe t.{one,two} { println("x") }`,
			"begin[0,0]: 1 x if 0\nend[0,0]: 2 x if 0\n"},
		{"double wildcard", `probe unlike.a.b = begin { println("1") } probe unlike** { println("x") }`, "begin[0,0]: 1 x if 0\n"},
		{"optional", `probe nothing.here ?, begin { println("x") }`, "begin[0,0]: x if 0\n"},
		{"sufficient", `probe none.such !, end !, begin { println("x") }`, "end[0,0]: x if 0\n"},
		{"alias of several", `probe both = begin, end { println("a") } probe both { println("x") }`,
			"begin[0,0] end[0,0]: a x if 0\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, diags := onHost(t, c.script)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if got := summary(e); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`probe bgin { }`, `test.stp:1:7: no probe point or alias begins with "bgin" (did you mean "begin"?)`},
		{`probe timer.sx(1) { }`, `test.stp:1:13: "sx" can't follow timer in a probe point`},
		{`probe timer.s { }`, `test.stp:1:13: probe point component s is written s(number) here`},
		{`probe timer { }`, `test.stp:1:7: probe point timer is not complete`},
		{`probe timer.s(0) { }`, `test.stp:1:7: timer.s(0): the period must be from 1 to 86400`},
		{`probe timer.ns(1) { }`, `test.stp:1:7: timer.ns(1): the period must be from 100000 to 86400000000000`},
		{`probe timer.s(1).randomize(2) { }`, `test.stp:1:7: timer.s(1).randomize(2): randomize must not be greater than the period`},
		{`probe a = b { } probe b = a { } probe a { }`, `test.stp:1:1: probe alias a leads back to itself`},
		{`probe x.* { }`, `test.stp:1:7: no probe point or alias matches x.*`},
		{`function f() { }`, `the script has no probes`},
	} {
		_, diags := onHost(t, c.script)
		if diags.Err() == nil || !strings.HasPrefix(diags[0].Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.script, diags, c.want)
		}
	}
}

// TestAliasesMultiply: aliases with exponentially many points are an error, also if they are optional.
func TestAliasesMultiply(t *testing.T) {
	var script strings.Builder
	script.WriteString("probe a0 = begin { x = 1 }\n")
	for i := range 40 {
		fmt.Fprintf(&script, "probe a%d = a%d ?, a%[2]d? { x = 1 }\n", i+1, i)
	}
	for _, probe := range []string{"probe a40 { println(x) }", "probe a40 ?, end { println(x) }"} {
		var diags syntax.Diagnostics
		err := bounded.Limits{Time: 20 * time.Second, Wall: 5 * time.Minute, Heap: 1 << 30}.Run(func() error {
			_, diags = onHost(t, script.String()+probe)
			return nil
		})
		if err != nil {
			text, _, _ := strings.Cut(err.Error(), "\n")
			t.Fatal(text)
		}
		if len(diags) != 1 || !strings.Contains(diags[0].Error(), "this probe goes through more than 100000 aliases") {
			t.Errorf("%s: %.500v", probe, diags)
		}
	}
}

// TestProbewriteInFunctions: a function is not a part of the probe that calls it, nor of the one that
// is being elaborated when it is first called.
func TestProbewriteInFunctions(t *testing.T) {
	for _, script := range []string{
		`function f() { return @probewrite(s) } probe begin { s = 1 println(s, f()) }`,
		`probe begin { s = 1 println(s, f()) } function f() { return @probewrite(s) }`,
		`probe begin { s = 1 println(s, f()) } function f() { return @probewrite($s) }`,
	} {
		e, diags := onHost(t, script)
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		for x, v := range e.Values {
			if x, ok := x.(*syntax.AtExpr); ok && (v.Err == nil || !strings.Contains(v.Err.Error(), "@probewrite tells of the probe that it stands in, and this is a function")) {
				t.Errorf("%s: %s is %+v", script, syntax.ExprString(x), v)
			}
		}
	}
	e, diags := onHost(t, `probe a = begin { x = 1 if (@probewrite(y)) println(y) } probe a { y = 2 println(x, f()) } function f() { return 1 }`)
	if len(diags) > 0 || len(e.Probes[0].Values) != 1 {
		t.Fatal(diags, e.Probes[0].Values)
	}
	for _, v := range e.Probes[0].Values {
		if n, ok := v.X.(*program.Number); !ok || n.Value != 1 {
			t.Errorf("in an alias: %+v", v)
		}
	}
}

func TestLibraryIsPulledIn(t *testing.T) {
	folder := library.Folder{FS: fstest.MapFS{
		"a.stp": {Data: []byte(`function outer() { return inner() }`)},
		"b.stp": {Data: []byte(`global seen probe begin { seen = 1 } function inner() { return seen }`)},
		"c.stp": {Data: []byte(`function unused() { return 1 } probe end { }`)},
	}, Path: "extra"}
	e, diags := onHost(t, `probe end { println(outer()) }`, folder)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var files []string
	for _, f := range e.Files {
		files = append(files, f.Source.Path)
	}
	if got := strings.Join(files, " "); got != "test.stp extra/a.stp extra/b.stp" {
		t.Errorf("files: %s", got)
	}
	if len(e.Probes) != 2 {
		t.Errorf("got %d probes, want the script's and that of b.stp", len(e.Probes))
	}
}
