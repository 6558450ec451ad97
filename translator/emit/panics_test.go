// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"testing"

	"gostap/internal/panics"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// TestPanics: an error made of a panic has the position in the script.
func TestPanics(t *testing.T) {
	src := &syntax.Source{Path: "test.stp", Text: []byte("probe begin {\n  println(1)\n}")}
	print := &program.Print{At: syntax.Pos{Source: src, Line: 2, Col: 3}, Format: "%d", Args: []program.Expr{&program.ScriptExpr{}}}
	p := &program.Program{Probes: []*program.Probe{{
		At: syntax.Pos{Source: src, Line: 1, Col: 1}, Name: "begin", Points: []*program.Point{{Family: "begin", Name: "begin", Cold: true}},
		Body: []program.Stmt{&program.Eval{X: print}},
	}}}
	err := func() (err error) {
		defer panics.Catch(&err)
		Emit(p, Options{Limits: DefaultLimits()})
		return nil
	}()
	e, ok := err.(*panics.Error)
	if !ok || e.Place == nil || e.Place.String() != "test.stp:2:3" {
		t.Errorf("%v, %+v", err, e)
	}
}
