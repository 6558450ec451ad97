// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"bytes"
	"testing"

	"gostap/translator/program"
)

// TestDumpReturns shows by what a program's returns are probed, with -v.
func TestDumpReturns(t *testing.T) {
	p := &program.Program{Probes: []*program.Probe{{Name: "p", Points: []*program.Point{
		{Family: "uretprobe", Name: "a"}, {Family: "uretprobe", Name: "b", Returns: []uint64{8, 16}}, {Family: "uprobe", Name: "c"}}}}}
	for bodies, want := range map[bool]string{
		true:  "# probes\na /* <- p */ /* by the kernel's uretprobe */\nb /* <- p */ /* ret instructions: 2 */\nc /* <- p */\n{\n}\n",
		false: "# probes\na /* <- p */\nb /* <- p */\nc /* <- p */\n",
	} {
		var got bytes.Buffer
		if err := Dump(&got, p, bodies); err != nil || got.String() != want {
			t.Errorf("%v\n%swant\n%s", err, got.String(), want)
		}
	}
}
