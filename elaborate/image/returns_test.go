// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const returning = `
	.text
	.macro function name
	.globl \name
	.type \name, @function
\name:
	.endm
	function two
	endbr64
	test %edi, %edi
	je 1f
	ret
1:	rep ret
	.size two, . - two
	function tail
	test %edi, %edi
	je two
	ret
	.size tail, . - tail
	function computed
	jmp *%rax
	ret
	.size computed, . - computed
	function loop
1:	dec %edi
	jne 1b
	ret $8
	.size loop, . - loop
	function never
	ud2
	.size never, . - never
	function vector
	vpxor %ymm0, %ymm0, %ymm0
	ret
	.size vector, . - vector
`

// TestReturns finds the return instructions, and gives up if there may be others.
func TestReturns(t *testing.T) {
	dir := t.TempDir()
	source, object := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.so")
	if err := os.WriteFile(source, []byte(returning), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-shared", "-nostdlib", "-Wl,-Bsymbolic", "-o", object, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p, err := NewTarget("", false).Program(object)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]uint64{"two": {8, 9}, "tail": nil, "computed": nil, "loop": {4}, "never": nil, "vector": nil} {
		found := p.Symbols().Lookup(name)
		if len(found) != 1 {
			t.Fatalf("%d functions %s", len(found), name)
		}
		var got []uint64
		for _, addr := range p.Returns(found[0].Addr, uint64(found[0].Size)) {
			got = append(got, addr-found[0].Addr)
		}
		if len(got) != len(want) {
			t.Errorf("%s returns at %v, want %v", name, got, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s returns at %v, want %v", name, got, want)
			}
		}
	}
}
