// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"flag"
	"strings"
	"testing"

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

// elaborateTest stands for package elaborate, for the points begin, end, error, never and timer.*, and
// aliases of them.
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
			ep.Saved = testSaved // as elaborate does; the check drops those that a probe doesn't use
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

// testValues are the values of target variables and @operators; resolve fills it in.
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
	return Options{Guru: c.Directive("guru") != "", Unoptimized: c.Directive("unoptimized") != "", NoWarnings: c.Directive("nowarn") != "", AsStap: c.Directive("stap") != ""}
}
