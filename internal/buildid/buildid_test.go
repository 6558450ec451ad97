// SPDX-License-Identifier: GPL-2.0-or-later

package buildid

import (
	"encoding/hex"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	const linux = "060000000400000001010000" + "4c696e757800" + "0000" + "00000000" // another owner's note
	for _, c := range []struct{ notes, want string }{
		{linux + "040000000400000003000000" + "474e5500" + "deadbeef", "deadbeef"},
		{"040000000300000003000000" + "474e5500" + "abcdef00", "abcdef"},
		{"040000000400000004000000" + "474e5500" + "deadbeef", ""},                 // another type
		{"040000000400000003000000" + "58656e00" + "deadbeef", ""},                 // Xen's
		{"040000000000000003000000" + "474e5500", ""},                              // empty
		{"040000004400000003000000" + "474e5500" + strings.Repeat("00", 0x44), ""}, // too long to be one
		{"ffffffffffffffff03000000" + "474e5500" + "deadbeef", ""},                 // lengths beyond the end
		{linux, ""},
	} {
		notes, err := hex.DecodeString(c.notes)
		if err != nil {
			t.Fatal(err)
		}
		if got := Find(notes); got != c.want {
			t.Errorf("%s: %q, want %q", c.notes, got, c.want)
		}
		for i := range notes {
			if got := Find(notes[:i]); got != "" {
				t.Errorf("%q from %d bytes of %s", got, i, c.notes)
			}
		}
	}
}
