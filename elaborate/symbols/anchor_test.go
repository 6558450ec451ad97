// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"testing"

	"gostap/elaborate/internal/testkernel"
)

// TestAnchor: functions of one name are told apart by a symbol that is there once.
func TestAnchor(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		m, err := OpenModule(pathOf(t, release, "libceph"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := readModule(m.Path)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parseModule(file)
		if err != nil {
			t.Fatal(err)
		}
		values := map[string][]uint64{}
		for _, s := range parsed.symbols {
			values[s.Name] = append(values[s.Name], s.Value)
		}
		twins := m.Lookup("handle_reply")
		if len(twins) < 2 || twins[0].Addr == twins[1].Addr {
			t.Fatalf("%s: handle_reply: %v", release, twins)
		}
		for i := range twins {
			name, distance, err := m.Anchor(&twins[i])
			if from := values[name]; err != nil || len(from) != 1 || from[0]+uint64(distance) != twins[i].Addr {
				t.Errorf("%s: handle_reply at %#x is %s%+d, %v", release, twins[i].Addr, name, distance, err)
			}
		}
	}
}
