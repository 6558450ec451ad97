// SPDX-License-Identifier: GPL-2.0-or-later

package suggest

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"vfs_read", "vfs_readv", "vfs_write", "execname", "pexecname"}
	for _, c := range []struct {
		name string
		want []string
	}{
		{"vfs_reed", []string{"vfs_read", "vfs_readv"}},
		{"vfs_raed", []string{"vfs_read", "vfs_readv"}},
		{"exename", []string{"execname", "pexecname"}},
		{"vfs_read", []string{"vfs_readv"}},
		{"nothing", nil},
		{"", nil},
	} {
		if got := Nearest(c.name, known, 2); !slices.Equal(got, c.want) {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
	if got := Hint("vfs_reed", known); got != `did you mean "vfs_read"?` {
		t.Errorf("Hint = %q", got)
	}
}
