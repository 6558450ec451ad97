// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
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

// TestInstructions holds where probes may stand against what objdump says.
func TestInstructions(t *testing.T) {
	line := regexp.MustCompile(`(?m)^ +([0-9a-f]+):\t`)
	for _, release := range testkernel.Releases(t) {
		k, err := symbols.Open(release)
		if err != nil {
			t.Fatal(err)
		}
		functions, places, unknown := 0, 0, 0
		for i := 0; i < k.Count() && functions < 200; i += k.Count() / 220 {
			f := k.Func(i)
			if f.Refusal != symbols.Probeable || f.Size > 4096 {
				continue
			}
			code, err := k.Code(&f, 0)
			if err != nil {
				t.Fatal(err)
			}
			code.Rewritten = nil
			file := filepath.Join(t.TempDir(), "code")
			if err := os.WriteFile(file, code.Bytes, 0o600); err != nil {
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
			// objdump shows a line for each seven bytes, too.
			for offset := range int64(len(code.Bytes)) {
				why := notProbeable(code, offset)
				if strings.Contains(why, "is not known") {
					unknown++
					break
				}
				places++
				if why == "" && !begins[offset] {
					t.Errorf("%s: %s: objdump says that no instruction begins there", release, spot(&f, offset))
				}
			}
		}
		if functions < 150 || places < 10000 || unknown > 3 {
			t.Errorf("%s: %d functions, %d places, %d functions with instructions that are not known", release, functions, places, unknown)
		}
	}
}

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
			e, diags := onKernel(t, release, fmt.Sprintf("probe kernel.statement(%#x).absolute { }", c.addr))
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

func TestNotProbeable(t *testing.T) {
	code := &symbols.Code{
		Bytes:     []byte{0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x89, 0xf8, 0x90, 0xc3},
		Rewritten: []symbols.Rewritten{{Start: 7, End: 8, Why: "a static branch, which the kernel rewrites"}},
	}
	for offset, want := range map[int64]string{
		0: "", 2: "no instruction begins there, but at +0x0 and +0x4", 4: "", 5: "at +0x4 and +0x7", 7: "it is in a static branch", 8: "",
	} {
		if got := notProbeable(code, offset); got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("%d: %q", offset, got)
		}
	}
}
