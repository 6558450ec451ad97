// SPDX-License-Identifier: GPL-2.0-or-later
// A program whose instructions are counted: a function called ten times, a signal's handler, and flags that are stored.
	.globl _start
_start:	mov $13, %eax			# rt_sigaction
	mov $10, %edi
	lea action(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov $10, %ecx
again:	call leaf
	dec %ecx
	jnz again
	mov $39, %eax			# getpid
	syscall
	mov %eax, %edi
	mov $10, %esi
	mov $62, %eax			# kill
	syscall
	pushfq
	pop %rdi
	and $0x100, %edi
	shr $8, %edi
	cmpl $1, hit(%rip)
	je 1f
	mov $2, %edi
1:	mov $60, %eax
	syscall
	.type leaf, @function
leaf:	ret
	.size leaf, . - leaf
handler: movl $1, hit(%rip)
	ret
restore: mov $15, %eax
	syscall
	.data
action:	.quad handler, 0x04000000, restore, 0
hit:	.long 0
