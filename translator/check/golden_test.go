// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"bytes"
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

// TestErrors checks the scripts in testdata/errors_*.stp, in which each error and warning is marked;
// the mark is matched against the message and its hint.
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

// complete checks what later passes rely on: every variable is typed and listed, and no node of the
// checker's own is left.
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
