// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate_test

import (
	"strings"
	"testing"

	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/exprtext"
	"gostap/elaborate/internal/testkernel"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// TestGroups checks which points share a handler.
func TestGroups(t *testing.T) {
	release := testkernel.Releases(t)[0]
	count := func(script string) (probes, points int) {
		e, diags := elaborated.OnKernel(t, release, script)
		if diags.Err() != nil {
			t.Fatalf("%s: %v", script, diags)
		}
		for _, p := range e.Probes {
			points += len(p.Points)
		}
		return len(e.Probes), points
	}
	if probes, points := count(`probe kernel.function("vfs_read"), kernel.function("vfs_write") { print($count) }`); probes != 1 || points != 2 {
		t.Errorf("$count of vfs_read and vfs_write: %d probes, %d points", probes, points)
	}
	if probes, points := count(`probe kernel.function("vfs_read"), kernel.function("vfs_readv") { print(@defined($count)) }`); probes != 2 || points != 2 {
		t.Errorf("@defined($count): %d probes, %d points", probes, points)
	}
	if probes, _ := count(`probe kernel.function("vfs_read"), timer.s(1) { print(@cast(1, "file")->f_pos) }`); probes != 1 {
		t.Errorf("@cast: %d probes", probes)
	}
	if probes, points := count(`probe kernel.function("*") { n++ }`); probes != 1 || points < 30000 {
		t.Errorf(`"*": %d probes, %d points`, probes, points)
	}
	// Each first argument is in a register or on the stack; in the latter case Registers is set.
	e, _ := elaborated.OnKernel(t, release, `probe kernel.function("*") { print($$parms) }`)
	for _, p := range e.Probes {
		stack := strings.Contains(exprtext.Spell(p.Values[firstTarget(p)].X), "reg7")
		if p.Points[0].Registers != stack {
			t.Errorf("%s: Registers is %v", p.Points[0].Name, p.Points[0].Registers)
		}
	}
}

func firstTarget(p *program.ElaboratedProbe) syntax.Expr {
	var found syntax.Expr
	syntax.Inspect(p.Bodies[0], func(n syntax.Node) bool {
		if x, ok := n.(*syntax.TargetVar); ok {
			found = x
		}
		return found == nil
	})
	return found
}

func TestUserFunctionsHideTheLibrarys(t *testing.T) {
	e, diags := elaborated.OnKernel(t, testkernel.Releases(t)[0], `probe begin { print(strlen("x")) } function strlen(s) { return 3 }`)
	if len(diags) > 0 || len(e.Files) != 1 {
		t.Errorf("%d files, %v", len(e.Files), diags)
	}
}
