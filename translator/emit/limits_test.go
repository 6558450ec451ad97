// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"strings"
	"testing"

	"gostap/manifest"
)

func TestLimits(t *testing.T) {
	l := DefaultLimits()
	for _, c := range []struct {
		name, value string
		known, ok   bool
	}{
		{"MAXACTION", "50", true, true},
		{"MAXACTION", "0", true, false},
		{"MAXACTION", "many", true, false},
		{"MAXSTRINGLEN", "65536", true, false},
		{"MAXERRORS", "0x10", true, true},
		{"STP_NO_OVERLOAD", "", false, true},
	} {
		known, err := l.Set(c.name, c.value)
		if known != c.known || (err == nil) != c.ok {
			t.Errorf("-D%s=%s: %t, %v", c.name, c.value, known, err)
		}
	}
	if l.MaxAction != 50 || l.cold() != 500 || l.MaxErrors != 16 {
		t.Errorf("limits are %+v", l)
	}
}

func TestManifestC(t *testing.T) {
	c, err := ManifestC(&manifest.Manifest{Formats: []manifest.Format{{Format: "%s\n\"\\", Args: "s"}}})
	if err != nil || !strings.Contains(string(c), manifest.Section) {
		t.Fatal(string(c), err)
	}
}
