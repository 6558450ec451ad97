// SPDX-License-Identifier: GPL-2.0-or-later

// Package elaborated runs passes 1 and 2 for the tests of pass 2's packages, and formats the results.
package elaborated

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/internal/exprtext"
	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/library"
	"gostap/elaborate/query"
	"gostap/tapsets"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// OnKernel runs passes 1 and 2 on a script for a kernel without debuginfo.
func OnKernel(t testing.TB, release, script string) (*program.Elaborated, syntax.Diagnostics) {
	t.Helper()
	t.Setenv("GOSTAP_DEBUGINFO", t.TempDir())
	return OnDebuginfo(t, release, script)
}

// OnDebuginfo runs pass 1 and 2 over a script for a kernel, with its debuginfo
// if that is installed.
func OnDebuginfo(t testing.TB, release, script string) (*program.Elaborated, syntax.Diagnostics) {
	t.Helper()
	env := &syntax.Env{KernelVR: release, Arch: "x86_64", Runtime: "kernel", StapVersion: "4.8"}
	lib, diags := library.Load(env, library.Folder{FS: tapsets.FS, Path: "tapset"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	file, diags := syntax.Parse(&syntax.Source{Path: "test.stp", Text: []byte(script)}, env)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return elaborate.Elaborate([]*syntax.File{file}, lib, image.NewTarget(release, true))
}

// OnProgram runs passes 1 and 2 on a script for programs, whose debuginfo is searched as usual; there
// is no kernel.
func OnProgram(t testing.TB, script string) (*program.Elaborated, syntax.Diagnostics) {
	t.Helper()
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	return OnDebuginfo(t, "0.0.0-none", script)
}

// Values lists the values of a handler's outermost target variables, in order.
func Values(p *program.ElaboratedProbe) []string {
	var list []string
	for _, body := range p.Bodies {
		syntax.Inspect(body, func(n syntax.Node) bool {
			x, ok := n.(syntax.Expr)
			if !ok || p.Values[x] == nil {
				return true
			}
			if v := p.Values[x]; v.Err != nil {
				list = append(list, v.Err.Error())
			} else {
				list = append(list, exprtext.Spell(v.X))
			}
			return false
		})
	}
	return list
}

// Variable returns the value of x at a function's entry or, with .return behind its name, at its
// return.
func Variable(t *testing.T, release, point, x string) string {
	t.Helper()
	name, suffix, _ := strings.Cut(point, ".")
	if suffix != "" {
		suffix = "." + suffix
	}
	e, diags := OnKernel(t, release, fmt.Sprintf("probe kernel.function(%q)%s { print(%s) }", name, suffix, x))
	if len(diags) > 0 {
		return diags.Error()
	}
	got := Values(e.Probes[0])[0]
	for i, saved := range e.Probes[0].Saved {
		got += fmt.Sprintf(", saved%d: %s", i, exprtext.Spell(saved))
	}
	return got
}

// WithDebuginfo returns a kernel whose debuginfo is installed; the test is
// skipped if there is none.
func WithDebuginfo(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("GOSTAP_DEBUGINFO")
	if dir == "" {
		dir = "/usr/lib/debug"
	}
	for _, release := range testkernel.Releases(t) {
		if _, err := os.Stat(dir + "/boot/vmlinux-" + release); err == nil {
			return release
		}
	}
	t.Skip("no kernel's debuginfo is installed: tests/setup dwarf")
	return ""
}

// Points lists the points of a script's probes.
func Points(t *testing.T, release, point string) ([]string, error) {
	t.Helper()
	e, diags := OnDebuginfo(t, release, "probe "+point+" { }")
	if err := diags.Err(); err != nil {
		return nil, err
	}
	var list []string
	for _, p := range e.Probes {
		for _, pt := range p.Points {
			list = append(list, fmt.Sprintf("%s %s %s%+d", pt.Family, pt.Name, pt.Symbol, pt.Offset))
		}
	}
	return list, nil
}

// Keep has the probe cache hold points of a kernel.
func Keep(t *testing.T, release string, texts ...string) {
	t.Helper()
	env := &syntax.Env{KernelVR: release, Arch: "x86_64", Runtime: "kernel", StapVersion: "4.8"}
	lib, diags := library.Load(env, library.Folder{FS: tapsets.FS, Path: "tapset"})
	if diags = append(diags, query.Keep(ParsePoints(t, texts...), lib, image.NewTarget(release, false))...); diags.Err() != nil {
		t.Fatal(diags)
	}
}

func ParsePoints(t *testing.T, texts ...string) (points []*syntax.ProbePoint) {
	t.Helper()
	for _, text := range texts {
		list, diags := syntax.ParseProbePoint(text, &syntax.Env{})
		if diags.Err() != nil {
			t.Fatal(diags)
		}
		points = append(points, list...)
	}
	return points
}

// SpelledProbes spells all points and values of a script.
func SpelledProbes(t *testing.T, release, script string) (string, error) {
	t.Helper()
	e, diags := OnDebuginfo(t, release, script)
	if err := diags.Err(); err != nil {
		return "", err
	}
	var out strings.Builder
	for _, p := range e.Probes {
		for _, pt := range p.Points {
			fmt.Fprintf(&out, "%s %s %s+%d\n", pt.Name, pt.Image.Module, pt.Symbol, pt.Offset)
		}
		fmt.Fprintln(&out, Values(p))
	}
	return out.String(), nil
}
