// SPDX-License-Identifier: GPL-2.0-or-later

package check

import "testing"

// TestMerged: a probe's sites whose handlers are the same after elision share it, whatever aliases they
// come from.
func TestMerged(t *testing.T) {
	for _, c := range []struct {
		handler string
		probes  int
	}{
		{`{ }`, 1},
		{`{ println("hit") }`, 1},
		{`{ println(name) }`, 2},
	} {
		files, diags := parse(t, "test.stp", []byte(`probe a = one { name = "a" }
probe b = two { name = "b" }
probe a, b `+c.handler), false)
		if diags.Err() != nil {
			t.Fatal(diags)
		}
		resolve(files...)
		e := elaborateTest(files...)
		for i, p := range e.Probes {
			p.Name, p.Points[0].Family = "a, b", "function"
			p.Points[0].Name = []string{"one", "two"}[i]
		}
		prog, diags := Check(e, Options{})
		if diags.Err() != nil {
			t.Fatal(diags)
		}
		if len(prog.Probes) != c.probes {
			t.Errorf("%s: %d handlers, want %d", c.handler, len(prog.Probes), c.probes)
		}
		points := 0
		for _, p := range prog.Probes {
			points += len(p.Points)
		}
		if points != 2 {
			t.Errorf("%s: %d places, want 2", c.handler, points)
		}
	}
}
