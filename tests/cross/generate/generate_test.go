// SPDX-License-Identifier: GPL-2.0-or-later

package generate

import (
	"os"
	"testing"

	"gostap/elaborate/library"
	"gostap/tapsets"
	"gostap/translator/syntax"
)

func items(t testing.TB) []Item {
	env := &syntax.Env{Runtime: "kernel", Arch: "x86_64", KernelVR: "6.1.0", StapVersion: "4.8"}
	lib, diags := library.Load(env, library.Folder{FS: tapsets.FS, Path: "tapset"})
	if diags.Err() != nil {
		t.Fatal(diags)
	}
	return append(Functions(lib.Files()), Constructs...)
}

// Each item that fits a context is in one of its scripts; the scripts depend only on the seed, and all
// can be parsed.
func TestPlan(t *testing.T) {
	all := items(t)
	if len(all) < 300 {
		t.Fatalf("only %d items", len(all))
	}
	for i := range Contexts {
		c := &Contexts[i]
		seen := map[string]int{}
		again := Plan(c, all, 64, &Places{Statement: "0xffffffff81000000", Beat: "/beat"}, 1)
		for n, s := range Plan(c, all, 64, &Places{Statement: "0xffffffff81000000", Beat: "/beat"}, 1) {
			if dir := os.Getenv("CROSS_SCRIPTS"); dir != "" {
				os.WriteFile(dir+"/"+s.Name+".stp", []byte(s.Text), 0o644)
			}
			if s.Text != again[n].Text {
				t.Fatalf("%s: one seed gives two scripts", s.Name)
			}
			if _, diags := syntax.Parse(&syntax.Source{Path: s.Name, Text: []byte(s.Text)}, &syntax.Env{Runtime: "kernel", Guru: true}); diags.Err() != nil {
				t.Errorf("%s: %v", s.Name, diags)
			}
			for _, it := range s.Items {
				seen[it.Name]++
			}
		}
		for _, it := range all {
			want := 0
			if it.fits(c) {
				want = 1
			}
			if seen[it.Name] != want {
				t.Errorf("%s is in %d scripts of %s, want %d", it.Name, seen[it.Name], c.Name, want)
			}
		}
	}
}
