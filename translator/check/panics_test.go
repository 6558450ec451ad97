// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"testing"

	"gostap/internal/panics"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// TestPanics: an error made of a panic has the position in the script.
func TestPanics(t *testing.T) {
	files, diags := parse(t, "test.stp", []byte("global n\nprobe begin { n = 1\n  println(n, $count)\n}"), false)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	for _, c := range []struct {
		what   string
		change func(*program.Elaborated, *Options)
		want   string
	}{
		{"declaring", func(_ *program.Elaborated, o *Options) { o.Builtin = func(*syntax.Source) bool { panic("builtin") } }, "library.stp:2:1"},
		{"lowering", func(e *program.Elaborated, _ *Options) {
			for x := range e.Probes[0].Values {
				e.Probes[0].Values[x] = &program.Value{X: &program.ScriptExpr{}}
			}
		}, "test.stp:3:3"},
	} {
		resolve(files...)
		e, opts := elaborateTest(files...), Options{}
		c.change(e, &opts)
		err := func() (err error) {
			defer panics.Catch(&err)
			Check(e, opts)
			return nil
		}()
		b, ok := err.(*panics.Error)
		if !ok || b.Place == nil || b.Place.String() != c.want {
			t.Errorf("%s: %v, %+v", c.what, err, b)
		}
	}
}
