// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"bytes"
	"os"
	"testing"
	"time"

	"gostap/elaborate/internal/compiled"
	"gostap/internal/bounded"
)

// FuzzRead: any file is read, or refused.
func FuzzRead(f *testing.F) {
	for _, flags := range [][]string{{"-O2"}, {"-no-pie", "-s"}} {
		data, err := os.ReadFile(compiled.Program(f, marked, append(flags, "-Wl,-z,noseparate-code")...))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	limits := bounded.Limits{Time: 10 * time.Second, Heap: 1 << 30}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := limits.Run(func() error {
			file, err := read("fuzzed", bytes.NewReader(data))
			if err != nil {
				return nil
			}
			list, _ := file.readFunctions()
			for _, fn := range list[:min(len(list), 100)] {
				file.Called(fn.Addr)
				file.Framed(fn.Addr)
				file.Described(fn.Addr)
			}
			file.Unwinds()
			marks, _ := file.Marks()
			for _, m := range marks[:min(len(marks), 100)] {
				for _, arg := range m.Args {
					ParseOperand(arg)
				}
			}
			file.Stubs()
			file.ThreadSlot()
			file.GOTSlot("counter")
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})
}
