// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"testing"

	"gostap/elaborate/internal/testkernel"
)

// TestBaseSymbol: functions of the same name are distinguished by a symbol with a unique name.
func TestBaseSymbol(t *testing.T) {
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
		namesakes := m.Lookup("handle_reply")
		if len(namesakes) < 2 || namesakes[0].Addr == namesakes[1].Addr {
			t.Fatalf("%s: handle_reply: %v", release, namesakes)
		}
		for i := range namesakes {
			name, distance, err := m.BaseSymbol(&namesakes[i])
			if from := values[name]; err != nil || len(from) != 1 || from[0]+uint64(distance) != namesakes[i].Addr {
				t.Errorf("%s: handle_reply at %#x is %s%+d, %v", release, namesakes[i].Addr, name, distance, err)
			}
		}
	}
}
