// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import "testing"

func TestNarrower(t *testing.T) {
	for _, c := range []struct {
		inner, outer string
		want         bool
	}{
		{"vfs_read@fs/read_write.c", "vfs_read@fs/read_write.c:*", true},
		{"vfs_read@fs/read_write.c:462", "*@fs/read_write.c:*", true},
		{"vfs_*@fs/read_write.c", "vfs_*@fs/read_write.c", true},
		{"vfs_r*@fs/read_write.c", "vfs_*@fs/*.c", true},
		{"vfs_read@fs/*.c", "vfs_*@fs/*.c", true},
		{"vfs_read@fs/read_write.c", "vfs_read", true},
		{"vfs_read@fs/read_write.c", "vfs_read@read_write.c", true},
		{"vfs_?ead", "vfs_?ead", true},
		{"vfs_read", "vfs_read@fs/read_write.c", false},
		{"vfs_read@fs/*.c", "vfs_read@fs/read_write.c", false},
		{"*@fs/read_write.c", "vfs_*@fs/read_write.c", false},
		{"vfs_*@fs/read_write.c", "vfs_????@fs/read_write.c", false},
		{"v*", "v?", false},
		{"vfs_read@read_write.c", "vfs_read@fs/read_write.c", false},
		{"vfs_read", "", false},
		{"", "vfs_read", false},
	} {
		if got := narrower(c.inner, c.outer); got != c.want {
			t.Errorf("narrower(%q, %q) is %v", c.inner, c.outer, got)
		}
	}
}
