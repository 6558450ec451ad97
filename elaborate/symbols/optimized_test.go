// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import "testing"

func TestJumps(t *testing.T) {
	j := &Jumps{slide: 0x1000, byAddr: map[uint64]string{}, byName: map[string]string{}}
	j.read(`ffffffff812d1a35  k  vfs_read+0x5    [OPTIMIZED]
ffffffff812d1a40  k  vfs_read+0x10    [DISABLED]
ffffffff812d1b00  k  vfs_write+0x0    [FTRACE]
ffffffffc0201065  k  gs_take+0x5  gs_places [DISABLED][OPTIMIZED]
0000000000000000  k  vfs_open+0x5    [OPTIMIZED]
nonsense
`)
	for addr, want := range map[uint64]string{
		0xffffffff812d0a35: "", // the kprobe's own site
		0xffffffff812d0a36: "vfs_read+0x5",
		0xffffffff812d0a39: "vfs_read+0x5",
		0xffffffff812d0a3a: "",
		0xffffffff812d0a41: "",
		3:                  "",
	} {
		if probe := j.Over(addr); probe != want {
			t.Errorf("over %#x is %q, not %q", addr, probe, want)
		}
	}
	for offset, want := range map[int64]string{0: "", 4: "", 5: "", 6: "gs_take+0x5", 9: "gs_take+0x5", 10: ""} {
		if probe := j.OverModule("gs_places", "gs_take", offset); probe != want {
			t.Errorf("over gs_take+%#x is %q, not %q", offset, probe, want)
		}
	}
	if probe := j.OverModule("other", "gs_take", 6); probe != "" {
		t.Errorf("over another module's gs_take+6 is %q", probe)
	}
}
