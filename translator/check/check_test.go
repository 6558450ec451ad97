// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gostap/translator/format"
	"gostap/translator/program"
	"gostap/translator/syntax"
	"gostap/translator/syntax/chunkedfile"
)

var update = flag.Bool("update", false, "write the golden files anew")

func testEnv(guru bool) *syntax.Env {
	return &syntax.Env{KernelVR: "6.1.0", Arch: "x86_64", Runtime: "kernel", Guru: guru, Privilege: "stapdev", StapVersion: "4.8"}
}

// testLibrary stands for the tapset library.
const testLibrary = `
function execname:string () %{ /* pure */ %}
function pid:long () %{ /* pure */ %}
function tid:long () %{ /* pure */ %}
function exit () %{ STAP_EXIT(); %}
function error (msg:string) %{ STAP_ERROR("%s", STAP_ARG_msg); %}
function strlen:long (s:string) %{ /* pure */ %}
function matched:string (n:long) %{ /* pure */ /* pragma:tagged_dfa */ %}
function danger:long () %{ /* guru */ %}
function pp:string () %{ /* pure */ /* point */ %}
function print_regs () %{ /* point */ %}
function lib_where () { return pp() . "!" }
function __hidden:long () { return 1 }
function lib_unused (a) { return a . 1 }
function lib_twice (a) { i = a * 2; unused = 3; return i }
private global counter = 3
private function step () { counter++ }
function lib_count () { step(); return counter }
function lib_over (a) { return a + 1 }
probe library.alias = begin { name = "begin"; argument = 3; flags = $absent }
`

// elaborateTest does what package elaborate does, for the points begin, end,
// error, never and timer.*, and for aliases of them.
func elaborateTest(files ...*syntax.File) *program.Elaborated {
	e := &program.Elaborated{Files: files, Values: map[syntax.Expr]*program.Value{}}
	aliases := map[string]*syntax.AliasDecl{}
	for _, f := range files {
		for _, d := range f.Decls {
			if a, ok := d.(*syntax.AliasDecl); ok {
				aliases[pointName(a.Name)] = a
			}
		}
	}
	for _, d := range files[0].Decls {
		p, ok := d.(*syntax.ProbeDecl)
		if !ok {
			continue
		}
		for _, pt := range p.Points {
			ep := &program.ElaboratedProbe{At: p.At, Name: pointName(pt), Values: testValues}
			if pt.Cond != nil {
				ep.Conds = append(ep.Conds, pt.Cond)
			}
			name := pt
			ep.Bodies = []*syntax.Block{p.Body}
			for depth := 0; depth < 10 && aliases[pointName(name)] != nil; depth++ {
				a := aliases[pointName(name)]
				name = a.Points[0]
				if a.Epilogue {
					ep.Bodies = append(ep.Bodies, a.Body)
				} else {
					ep.Bodies = append([]*syntax.Block{a.Body}, ep.Bodies...)
				}
				if name.Cond != nil {
					ep.Conds = append(ep.Conds, name.Cond)
				}
			}
			ep.Points = []*program.Point{{At: p.At, Family: name.Components[0].Name, Name: pointName(name)}}
			ep.Saved = testSaved // those that a probe doesn't use are dropped
			e.Probes = append(e.Probes, ep)
		}
	}
	return e
}

func pointName(p *syntax.ProbePoint) string {
	var parts []string
	for _, c := range p.Components {
		parts = append(parts, c.Name)
	}
	return strings.Join(parts, ".")
}

// testValues gives target variables and @operators the values that the tests
// want; it is filled in by resolve.
var (
	testValues map[syntax.Expr]*program.Value
	testSaved  []program.Expr
)

// resolve finds $count (an argument), $file->f_flags (memory), $return, $text
// (a string), $gone (an error), $array[i], @defined, @entry and @cast in a file.
func resolve(files ...*syntax.File) {
	testValues, testSaved = map[syntax.Expr]*program.Value{}, nil
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *syntax.ProbeDecl:
				for _, p := range d.Points {
					if p.Cond != nil {
						resolveIn(p.Cond)
					}
				}
				resolveIn(d.Body)
			case *syntax.AliasDecl:
				resolveIn(d.Body)
			case *syntax.FunctionDecl:
				if d.Body != nil {
					resolveIn(d.Body)
				}
			}
		}
	}
}

func resolveIn(n syntax.Node) {
	syntax.Inspect(n, func(n syntax.Node) bool {
		if x, ok := n.(syntax.Expr); ok {
			resolveOne(x)
		}
		return true
	})
}

func resolveOne(x syntax.Expr) {
	missing := func(name string) *program.Value {
		return &program.Value{Err: &syntax.Diagnostic{Pos: x.Pos(), Msg: "there is no $" + name + " here"}}
	}
	load := func(addr program.Expr) *program.Value {
		d := &program.Deref{At: x.Pos(), Addr: addr, Size: 4, Signed: true}
		return &program.Value{X: d, Store: d}
	}
	switch x := x.(type) {
	case *syntax.TargetVar:
		arg := &program.Argument{At: x.At}
		switch {
		case x.Kind == syntax.AtCast:
			testValues[x] = load(&program.Binary{At: x.At, Op: "+", X: &program.ScriptExpr{X: x.X}, Y: &program.Number{At: x.At, Value: 8}})
		case x.Name == "count":
			testValues[x] = &program.Value{X: arg}
		case x.Name == "file" && len(x.Access) > 0:
			testValues[x] = load(arg)
		case x.Name == "array" && len(x.Access) > 0 && x.Access[0].Index != nil:
			testValues[x] = load(&program.Binary{At: x.At, Op: "+", X: arg, Y: &program.ScriptExpr{X: x.Access[0].Index}})
		case x.Name == "text":
			testValues[x] = &program.Value{X: &program.Print{At: x.At, Format: "%d", Args: []program.Expr{arg}, Sprint: true}}
		default:
			testValues[x] = missing(x.Name)
		}
	case *syntax.AtExpr:
		switch x.Op {
		case "defined":
			v, ok := x.Args[0].(*syntax.TargetVar)
			n := &program.Number{At: x.At}
			if ok && (v.Name == "count" || v.Name == "file" || v.Name == "text" || v.Name == "array") {
				n.Value = 1
			}
			testValues[x] = &program.Value{X: n}
		case "entry":
			testValues[x] = &program.Value{X: &program.SavedValue{At: x.At, Index: len(testSaved)}}
			testSaved = append(testSaved, &program.ScriptExpr{X: x.Args[0]})
		}
	}
}

// parse parses a script and the test library.
func parse(t testing.TB, path string, text []byte, guru bool) ([]*syntax.File, syntax.Diagnostics) {
	t.Helper()
	file, diags := syntax.Parse(&syntax.Source{Path: path, Text: text}, testEnv(guru))
	library, libDiags := syntax.Parse(&syntax.Source{Path: "library.stp", Text: []byte(testLibrary), Origin: syntax.Tapset}, testEnv(true))
	if libDiags.Err() != nil {
		t.Fatal(libDiags)
	}
	return []*syntax.File{file, library}, diags
}

func checkText(t testing.TB, path string, text []byte, opts Options) (*program.Program, syntax.Diagnostics) {
	t.Helper()
	files, diags := parse(t, path, text, opts.Guru)
	if diags.Err() != nil {
		return nil, diags
	}
	resolve(files...)
	opts.Functions = []string{"gettimeofday_us", "gettimeofday_ns"}
	return Check(elaborateTest(files...), opts)
}

func chunkOptions(c *chunkedfile.Chunk) Options {
	return Options{Guru: c.Directive("guru") != "", Unoptimized: c.Directive("unoptimized") != "", NoWarnings: c.Directive("nowarn") != ""}
}

// TestErrors checks the scripts in testdata/errors_*.stp, in which each error
// and warning is marked; a hint is part of the text that the mark matches.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors_*.stp")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	marks := 0
	for _, path := range files {
		for _, chunk := range chunkedfile.Read(t, path) {
			marks += chunk.WantsErrors()
			prog, diags := checkText(t, path, chunk.Text, chunkOptions(chunk))
			for _, d := range diags {
				if !d.Pos.IsValid() {
					t.Errorf("%s:%d: %s: without a place", path, chunk.Line, d.Msg)
				}
				msg := map[syntax.Severity]string{syntax.Error: "error: ", syntax.Warning: "warning: "}[d.Severity] + d.Msg
				if d.Hint != "" {
					msg += " (" + d.Hint + ")"
				}
				chunk.GotError(int(d.Pos.Line), fmt.Sprintf("%d: %s", d.Pos.Col, msg))
			}
			chunk.Done()
			if (prog == nil) != (diags.Err() != nil) {
				t.Errorf("%s:%d: program %v with diagnostics %v", path, chunk.Line, prog != nil, diags)
			}
		}
	}
	if marks < 120 {
		t.Errorf("%d errors and warnings marked, want 120 and more", marks)
	}
	t.Logf("%d errors and warnings", marks)
}

// TestGolden compares the dumps of the scripts in testdata/*.stp with the
// .golden files beside them.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden_*.stp")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var got bytes.Buffer
			for _, chunk := range chunkedfile.Read(t, path) {
				prog, diags := checkText(t, path, chunk.Text, chunkOptions(chunk))
				if err := diags.Err(); err != nil {
					t.Errorf("%s:%d: %v", path, chunk.Line, err)
					continue
				}
				got.WriteString("=== " + strings.TrimSpace(string(chunk.Text)) + "\n\n")
				if err := Dump(&got, prog, true); err != nil {
					t.Fatal(err)
				}
				got.WriteString("\n")
				complete(t, prog)
			}
			golden := strings.TrimSuffix(path, ".stp") + ".golden"
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s differs from what is made of %s; go test -update writes it anew:\n%s", golden, path, firstDifference(got.String(), string(want)))
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return fmt.Sprintf("line %d: %q", i+1, g[i])
		}
	}
	return "it is longer"
}

// complete checks what a program promises to the later passes: every variable
// typed and listed, nothing of the checker's own left over.
func complete(t testing.TB, p *program.Program) {
	t.Helper()
	globals, functions := map[*program.Global]bool{}, map[*program.Function]bool{}
	names := map[string]bool{}
	for _, g := range p.Globals {
		globals[g] = true
		if g.Type == program.Unknown || (g.Type == program.Stat) != (g.Stat != nil) || names["g "+g.Name] {
			t.Errorf("global %s: type %s, statistics %v", g.Name, g.Type, g.Stat)
		}
		names["g "+g.Name] = true
	}
	for _, f := range p.Functions {
		functions[f] = true
		if f.Result == program.Unknown || names["f "+f.Name] {
			t.Errorf("function %s: result %s", f.Name, f.Result)
		}
		names["f "+f.Name] = true
	}
	want := func(where string, x program.Expr, typ program.Type) {
		if x.Type() != typ {
			t.Errorf("%s: %s: %s is %s, not %s", where, x.Pos(), exprText(x), x.Type(), typ)
		}
	}
	body := func(where string, stmts []program.Stmt, locals ...[]*program.Local) {
		own := map[*program.Local]bool{}
		for _, list := range locals {
			for _, l := range list {
				own[l] = true
				if l.Type != program.Long && l.Type != program.String {
					t.Errorf("%s: local %s is %s", where, l.Name, l.Type)
				}
			}
		}
		eachExpr(&program.Block{Stmts: stmts}, func(x program.Expr) {
			switch x := x.(type) {
			case *invalid, *unavailable, *cleared, *program.ScriptExpr:
				t.Errorf("%s: %T left over", where, x)
			case *program.LocalRef:
				if !own[x.Local] {
					t.Errorf("%s: local %s is not listed", where, x.Local.Name)
				}
			case *program.GlobalRef:
				if !globals[x.Global] {
					t.Errorf("%s: global %s is not listed", where, x.Global.Name)
				}
			case *program.Element:
				if !globals[x.Array] {
					t.Errorf("%s: array %s is not listed", where, x.Array.Name)
				}
			case *program.Call:
				if !functions[x.Fn] {
					t.Errorf("%s: function %s is not listed", where, x.Fn.Script)
				}
				for i, arg := range x.Args {
					want(where, arg, x.Fn.Params[i].Type)
				}
			case *program.Compare:
				want(where, x.Y, x.X.Type())
			case *program.Cond:
				want(where, x.If, program.Long)
				want(where, x.Else, x.Then.Type())
			case *program.Assign:
				want(where, x.Y, x.X.Type())
			case *program.Binary:
				want(where, x.X, program.Long)
				want(where, x.Y, program.Long)
			case *program.Unary:
				want(where, x.X, program.Long)
			case *program.Concat:
				want(where, x.X, program.String)
				want(where, x.Y, program.String)
			case *program.StatRead:
				want(where, x.X, program.Stat)
			case *program.Aggregate:
				want(where, x.X, program.Stat)
				want(where, x.Y, program.Long)
			case *program.Print:
				dirs, err := format.Parse(x.Format)
				var kinds []format.Kind
				for i := range dirs {
					kinds = dirs[i].Kinds(kinds)
				}
				if err != nil || len(kinds) != len(x.Args) {
					t.Errorf("%s: format %q with %d arguments: %v", where, x.Format, len(x.Args), err)
					return
				}
				for i, arg := range x.Args {
					typ := program.Long
					if kinds[i] == format.String {
						typ = program.String
					}
					want(where, arg, typ)
				}
			}
			if e, ok := x.(*program.Element); ok {
				for i, k := range e.Keys {
					if k != nil {
						want(where, k, e.Array.Keys[i])
					}
				}
			}
		})
	}
	for _, f := range p.Functions {
		body(f.Name, f.Body, f.Params, f.Locals)
	}
	for _, pr := range p.Probes {
		body(pr.Name, pr.Body, pr.Locals)
	}
}
