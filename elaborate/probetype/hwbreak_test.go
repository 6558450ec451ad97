// SPDX-License-Identifier: GPL-2.0-or-later

package probetype_test

import (
	"strings"
	"testing"

	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/testkernel"
)

func TestHardwareBreakpoints(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		for _, c := range []struct {
			point, name, symbol string
			args                [2]int64
		}{
			{`kernel.data("panic_timeout").write`, `kernel.data("panic_timeout").write`, "panic_timeout", [2]int64{0, 4}},
			{`kernel.data("panic_timeout").rw`, `kernel.data("panic_timeout").rw`, "panic_timeout", [2]int64{0, -4}},
			{`kernel.data("jiffies_64").write`, `kernel.data("jiffies_64").write`, "jiffies_64", [2]int64{0, 8}},
			{`kernel.data("init_task").write`, `kernel.data("init_task").write`, "init_task", [2]int64{0, 8}},
			{`kernel.data(0xffffffff82000001).write`, `kernel.data(0xffffffff82000001).write`, "", [2]int64{-0x7dffffff, 1}},
			{`kernel.data(0xffffffff82000005).length(3).rw`, `kernel.data(0xffffffff82000005).length(3).rw`, "", [2]int64{-0x7dfffffc, -4}},
			{`kernel.data(0xffffffff82000003).length(2).write`, `kernel.data(0xffffffff82000003).length(2).write`, "", [2]int64{-0x7e000000, 8}},
		} {
			e, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { }")
			if len(diags) > 0 || len(e.Probes) != 1 || len(e.Probes[0].Points) != 1 {
				t.Errorf("%s: %v", c.point, diags)
				continue
			}
			pt := e.Probes[0].Points[0]
			if pt.Family != "hwbreak" || pt.Name != c.name || pt.Symbol != c.symbol || pt.Args != c.args || (pt.SymbolOffset != 0) != (c.symbol != "") {
				t.Errorf("%s: %+v", c.point, pt)
			}
		}
	}
}

func TestHardwareBreakpointErrors(t *testing.T) {
	release := testkernel.Releases(t)[0]
	for _, c := range []struct{ point, want string }{
		{`kernel.data("vfs_read").write`, `"vfs_read" is a function: kernel.data watches variables (kernel.function("vfs_read")`},
		{`kernel.data("panic_timeuot").write`, `no variable "panic_timeuot" with a place of its own (did you mean "panic_timeout"?)`},
		{`kernel.data("runqueues").rw`, `"runqueues" is a per-CPU variable`},
		{`kernel.data("TRACE_SYSTEM_ALARM_BOOTTIME").rw`, `is initialization data`},
		{`kernel.data(0x1000).rw`, `0x1000 is no address of the kernel`},
		{`kernel.data(0xffffffff82000000).length(9).rw`, `a debug register watches 1, 2, 4 or 8 bytes`},
		{`kernel.data(0xffffffff82000006).length(4).rw`, `4 bytes at 0xffffffff82000006 lie across a multiple of 8`},
		{`kernel.data("panic_timeout")`, `is not complete`},
		{strings.TrimSuffix(strings.Repeat(`kernel.data("panic_timeout").rw, `, 5), ", "), `more than 4 kernel.data probes`},
	} {
		_, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { }")
		if diags.Err() == nil || !strings.Contains(diags[0].Error(), c.want) {
			t.Errorf("%s\n got  %v\n want %s", c.point, diags, c.want)
		}
	}
}
