// SPDX-License-Identifier: GPL-2.0-or-later

package emit_test

import (
	"strings"
	"testing"

	"gostap/translator/emit"
	"gostap/translator/emit/emittest"
)

// TestFollowed: conditions that depend on globals alone are evaluated when these change; others at each
// hit.
func TestFollowed(t *testing.T) {
	for cond, followed := range map[string]bool{
		"on":                              true,
		"a[on] > 2 && strlen(s) == 3":     false,
		"a[on] > 2 && s =~ \"x\"":         true,
		"twice(on)":                       true,
		"execname() == s":                 false,
		"called() == s":                   false,
		"on && sprint(on) . called() > s": false,
	} {
		p, err := emittest.Translate(library + `
global on, a, s = "x"
function twice(n) { return 2 * n }
function called() { return execname() . "x" }
probe begin { on++; a[1] = 2; s = "y" }
probe timer.s(1) if (` + cond + `) { println(twice(on), called()) }`)
		if err != nil {
			t.Fatal(err)
		}
		out, err := emit.Emit(p, emit.Options{Limits: emit.DefaultLimits()})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(out.C), "cond_1"); got != followed {
			t.Errorf("%s: followed %t", cond, got)
		}
	}
}
