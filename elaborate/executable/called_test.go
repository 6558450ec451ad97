// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"debug/elf"
	"os"
	"testing"
)

const entered = `
int main(void) { return 0; }
__asm__(".globl resolver\n.type resolver, @function\nresolver:\n.cfi_startproc\n.cfi_adjust_cfa_offset 16\njmp *%rax\n.cfi_endproc\n.size resolver, .-resolver\n"
	".globl restorer\n.type restorer, @function\nrestorer:\n.cfi_startproc\n.cfi_signal_frame\n.cfi_undefined rip\nsyscall\n.cfi_endproc\n.size restorer, .-restorer\n"
	".globl plain\n.type plain, @function\nplain:\njmp *%rax\n.size plain, .-plain\n");
`

// Code that is entered otherwise than by a call is told from functions by call frame information; damaged, it tells nothing.
func TestCalled(t *testing.T) {
	path := compile(t, entered)
	check := func(want map[string]bool) {
		t.Helper()
		f := open(t, path)
		functions, err := f.Functions()
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range want {
			found := functions.Lookup(name)
			if len(found) != 1 {
				t.Fatalf("%s: %v", name, found)
			}
			if got := f.Called(found[0].Addr); got != want {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
	check(map[string]bool{"main": true, "_start": false, "resolver": false, "restorer": false, "plain": true})

	e, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	frames := e.Section(".eh_frame")
	for at := uint64(0); at < frames.Size; at += 3 {
		if _, err := file.WriteAt([]byte{0xff}, int64(frames.Offset+at)); err != nil {
			t.Fatal(err)
		}
		check(map[string]bool{"_start": false, "plain": true})
	}
}
