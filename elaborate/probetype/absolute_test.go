// SPDX-License-Identifier: GPL-2.0-or-later

package probetype_test

import (
	"fmt"
	"strings"
	"testing"

	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/symbols"
)

func TestAbsolute(t *testing.T) {
	for i, release := range testkernel.Releases(t) {
		k, err := symbols.Open(release)
		if err != nil {
			t.Fatal(err)
		}
		read, int3 := k.Lookup("vfs_read")[0], k.Lookup("do_int3")[0]
		for _, c := range []struct {
			addr uint64
			want string
		}{
			{read.Addr, ""},
			{read.Addr + [2]uint64{0, 4}[i] + 5, ""}, // behind ftrace's call
			{read.Addr + [2]uint64{0, 4}[i] + 6, "vfs_read+0x"},
			{int3.Addr, "do_int3+0x0 can't be probed: do_int3 is on the kernel's kprobes blacklist"},
			{0xffffffff00000000, "is in no function"},
		} {
			e, diags := elaborated.OnKernel(t, release, fmt.Sprintf("probe kernel.statement(%#x).absolute { }", c.addr))
			if c.want != "" {
				if diags.Err() == nil || !strings.Contains(diags[0].Error(), c.want) {
					t.Errorf("%#x: %v, want %s", c.addr, diags, c.want)
				}
				continue
			}
			if len(diags) > 0 {
				t.Errorf("%#x: %v", c.addr, diags)
				continue
			}
			pt := e.Probes[0].Points[0]
			if pt.Family != "kprobe" || pt.Symbol != "vfs_read" || uint64(pt.Offset) != c.addr-read.Addr || pt.Name != fmt.Sprintf("kernel.statement(%#x).absolute", c.addr) {
				t.Errorf("%+v", pt)
			}
		}
	}
}
