// SPDX-License-Identifier: GPL-2.0-or-later

package emit_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gostap/translator/emit"
	"gostap/translator/emit/emittest"
)

// TestParts: the handlers of a larger script are in parts, each compiled by itself, that share data, limits' messages and tails.
func TestParts(t *testing.T) {
	var script strings.Builder
	script.WriteString("global n = 40, last = \"none\", calls, seen\nfunction twice(x) { calls++ return 2 * x }\n")
	for i := range 12 {
		fmt.Fprintf(&script, "probe begin(%d) { try { n += twice(%d) seen[n, last] <<< n last = sprintf(\"%%d\", n)", i, i)
		if i == 11 {
			script.WriteString(" for (;;) if (n < 0) break")
		}
		script.WriteString(" } catch (e) { println(\"caught \", e) } }\n")
	}
	script.WriteString("probe error { println(n, \" \", last, \" \", calls) foreach ([x-, y] in seen limit 1) println(x, \" \", y) }\n")
	p, err := emittest.Translate(script.String())
	if err != nil {
		t.Fatal(err)
	}
	alone := &emittest.Builder{Flags: emittest.Sanitize} // without the library that TestScripts gives its own
	exe, err := alone.Build(p, emit.Options{Limits: emit.DefaultLimits()}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if exe.Output.Parts < 3 {
		t.Errorf("%d parts", exe.Output.Parts)
	}
	for part := range exe.Output.Parts {
		if !bytes.Contains(exe.Output.C, fmt.Appendf(nil, "\n#if GS_PARTS & %d\n\n#line", 1<<part)) {
			t.Errorf("part %d is empty", part)
		}
	}
	result, err := exe.Run()
	if err != nil {
		t.Fatal(err)
	}
	// MAXACTION, which the last begin probe exceeds, is for no catch block, in no part.
	if want := "172 172 12\n172 150\n"; result.Output != want {
		t.Errorf("%q, want %q", result.Output, want)
	}
}
