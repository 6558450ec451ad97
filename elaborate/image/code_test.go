// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/symbols"
)

// TestInstructions compares the instructions that may be probed with objdump's.
func TestInstructions(t *testing.T) {
	line := regexp.MustCompile(`(?m)^ +([0-9a-f]+):\t`)
	for _, release := range testkernel.Releases(t) {
		target := NewTarget(release, false)
		k, err := target.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := target.code()
		if err != nil {
			t.Fatal(err)
		}
		functions, places, unknown := 0, 0, 0
		for i := 0; i < k.Count() && functions < 200; i += k.Count() / 220 {
			f := k.Func(i)
			if f.Refusal != symbols.Probeable || f.Size > 4096 {
				continue
			}
			code := &instructions{code: kernel.From(f.Addr)[:f.Size]}
			file := filepath.Join(t.TempDir(), "code")
			if err := os.WriteFile(file, code.code, 0o600); err != nil {
				t.Fatal(err)
			}
			text, err := exec.Command("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-z", file).Output()
			if err != nil {
				t.Fatal(err)
			}
			begins := map[int64]bool{}
			for _, m := range line.FindAllStringSubmatch(string(text), -1) {
				at, _ := strconv.ParseInt(m[1], 16, 64)
				begins[at] = true
			}
			functions++
			// objdump splits long instructions into lines of seven bytes.
			for offset := range int64(f.Size) {
				why, known := code.begin(offset)
				if !known {
					unknown++
					break
				}
				places++
				if why == "" && !begins[offset] {
					t.Errorf("%s: %s+%#x: objdump says that no instruction begins there", release, f.Name, offset)
				}
			}
		}
		if functions < 150 || places < 10000 || unknown > 3 {
			t.Errorf("%s: %d functions, %d places, %d functions with instructions that are not known", release, functions, places, unknown)
		}
	}
}

func TestBegin(t *testing.T) {
	code := []byte{0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x89, 0xf8, 0x90, 0xc3, 0x06, 0x90}
	one := &instructions{code: code}
	// vzeroupper, and ret
	if why, known := (&instructions{code: []byte{0xc5, 0xf8, 0x77, 0xc3}}).begin(3); known || !strings.Contains(why, "the instruction at +0x0 before it is not known") {
		t.Errorf("behind vzeroupper: %q, %t", why, known)
	}
	for _, c := range []struct {
		offset int64
		want   string
		known  bool
	}{
		{5, "no instruction begins there, but at +0x4 and +0x7", true}, {0, "", true}, {4, "", true}, {8, "", true},
		{2, "no instruction begins there, but at +0x0 and +0x4", true}, {9, "", true},
		{10, "the instruction at +0x9 before it is not known", false}, {100, "the instruction at +0x9 before it is not known", false},
	} {
		for _, in := range []*instructions{one, {code: code}} {
			if got, known := in.begin(c.offset); !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") || known != c.known {
				t.Errorf("%d: %q, %t", c.offset, got, known)
			}
		}
	}
}
