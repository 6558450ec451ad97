// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	function falls
	test %edi, %edi
	je 1f
	ret
1:	mov %edi, %eax
	.size falls, . - falls
	function cold
	.cfi_startproc
	push %rbx
	.cfi_adjust_cfa_offset 8
	test %edi, %edi
	js cold.cold
.Lback:	pop %rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size cold, . - cold
	function thrower
	.cfi_startproc
	test %edi, %edi
	js thrower.cold
	ret
	.cfi_endproc
	.size thrower, . - thrower
	function tails
	.cfi_startproc
	test %edi, %edi
	js two.described
	ret
	.cfi_endproc
	.size tails, . - tails
	function library
	.cfi_startproc
	test %edi, %edi
	js elsewhere@plt
	ret
	.cfi_endproc
	.size library, . - library
	function switch
	.cfi_startproc
	push %rbx
	.cfi_adjust_cfa_offset 8
	jmp *%rax
	pop %rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size switch, . - switch
	function table
	cmp $1, %edi
	ja 1f
	lea tables(%rip), %rcx
	movslq (%rcx,%rdi,4), %rdx
	add %rcx, %rdx
	notrack jmp *%rdx
1:	ret
	.size table, . - table
	function array
	lea tables(%rip), %rcx
	movslq (%rcx,%rdi,4), %rdx
	add %rax, %rdx
	jmp *%rdx
	ret
	.size array, . - array
tables:	.long 0, 0
	function inexact
	.cfi_startproc
	push %rbx
	.cfi_adjust_cfa_offset 8
	test %edi, %edi
	je 1f
	pop %rbx
	jmp *%rax
1:	pop %rbx
	ret
	.cfi_endproc
	.size inexact, . - inexact
	function through
	.cfi_startproc
	push %rbx
	.cfi_adjust_cfa_offset 8
	test %edi, %edi
	je 1f
	pop %rbx
	.cfi_remember_state
	.cfi_adjust_cfa_offset -8
	jmp *%rax
	.cfi_restore_state
1:	pop %rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size through, . - through
	function bare
	.cfi_startproc
	test %edi, %edi
	js bare.cold
	ret
	.cfi_endproc
	.size bare, . - bare
	.section .text.unlikely, "ax"
	function bare.cold
	.cfi_startproc
	xor %eax, %eax
	ret
	.cfi_endproc
	.size bare.cold, . - bare.cold
	.type cold.cold, @function
cold.cold:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	test %edi, %edi
	jp .Lback
	pop %rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size cold.cold, . - cold.cold
thrower.cold:
	.cfi_startproc
	push %rbx
	call abort
	.cfi_endproc
two.described:
	.cfi_startproc
	ret
	.cfi_endproc
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
	// lastOf is where the last instruction of a function's part is, as far from the function's beginning.
	lastOf := func(name string) uint64 {
		function, part := p.Symbols().Lookup(name)[0], p.Symbols().Lookup(name + ".cold")[0]
		return part.Addr + uint64(part.Size) - 1 - function.Addr
	}
	for name, want := range map[string][]uint64{"two": {8, 9}, "tail": nil, "computed": nil, "loop": {4}, "never": nil, "vector": nil,
		"falls": nil, "cold": {lastOf("cold"), 10}, "bare": {lastOf("bare"), 8}, "thrower": {8}, "tails": nil, "library": nil, "switch": {4}, "through": nil, "inexact": nil, "table": {22}, "array": nil} {
		found := p.Symbols().Lookup(name)
		if len(found) != 1 {
			t.Fatalf("%d functions %s", len(found), name)
		}
		list, known := p.Returns(found[0].Addr, uint64(found[0].Size))
		if known != slices.Contains([]string{"two", "loop", "never", "cold", "bare", "thrower", "switch", "table"}, name) {
			t.Errorf("%s: the instructions that return are known: %t", name, known)
		}
		var got []uint64
		for _, addr := range list {
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
