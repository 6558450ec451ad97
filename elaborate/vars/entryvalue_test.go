// SPDX-License-Identifier: GPL-2.0-or-later

package vars_test

import (
	"fmt"
	"strings"
	"testing"

	"gostap/elaborate/internal/elaborated"
)

// TestEntryValues: one probe at a function's entry serves all probes that read a register's value at
// the entry; there is none if no probe does.
func TestEntryValues(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
	places, err := elaborated.Points(t, release, `kernel.statement("vfs_read@fs/read_write.c:*")`)
	if err != nil {
		t.Fatal(err)
	}
	wanted := 0
	for _, text := range places {
		point := text[strings.Index(text, "kernel."):strings.LastIndex(text, " ")]
		for _, c := range []struct {
			body  string
			entry bool
		}{
			{`{ println($count) }`, true},
			{`{ println(@defined($count) ? $count : 0) println($count * 2) }`, true},
			{`{ println(@defined($count)) }`, false},
			{`{ println($$vars) }`, false},
		} {
			script := fmt.Sprintf("probe %s %s probe %[1]s %[2]s", point, c.body)
			if _, diags := elaborated.OnDebuginfo(t, release, "probe "+point+" { println($count) }"); diags.Err() != nil {
				continue // it has no location there
			}
			e, diags := elaborated.OnDebuginfo(t, release, script)
			if diags.Err() != nil {
				t.Errorf("%s: %v", script, diags)
				continue
			}
			entries, guarded := 0, 0
			for _, p := range e.Probes {
				if len(p.Points) == 1 && p.Points[0].Family == "function" {
					entries++
				}
				if len(p.Bodies) > 1 {
					guarded++
				}
			}
			if entries > 1 || guarded != 2*entries || !c.entry && entries > 0 {
				t.Errorf("%s: %d probes at the entry, %d handlers that wait for it", script, entries, guarded)
			}
			wanted += entries
		}
	}
	if wanted == 0 {
		t.Errorf("at none of %d places takes $count the entry", len(places))
	}
}
