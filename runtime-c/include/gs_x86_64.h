/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_x86_64.h - x86-64: the System V ABI for AMD64, struct pt_regs. The part for
 * the runtime's own files in the kernel, which have the kernel's headers, is at
 * the end.
 */
#ifndef GS_X86_64_H
#define GS_X86_64_H

/* The kernel's struct pt_regs. */
struct gs_regs {
	gs_u64 r15, r14, r13, r12, bp, bx;
	gs_u64 r11, r10, r9, r8, ax, cx, dx, si, di;
	gs_u64 orig_ax, ip, cs, flags, sp, ss;
};

/* Are they registers of user space? */
gs_inline int gs_regs_of_user(const struct gs_regs *r)
{
	return (r->cs & 3) == 3;
}

/* The register that carries integer argument n, 1 the first, at a function's entry; NULL: it is on the stack. */
gs_inline gs_u64 *gs_regs_argument(struct gs_regs *r, gs_s64 n)
{
	switch (n) {
	case 1: return &r->di;
	case 2: return &r->si;
	case 3: return &r->dx;
	case 4: return &r->cx;
	case 5: return &r->r8;
	case 6: return &r->r9;
	}
	return NULL;
}

/* The stack slot of argument n, from 7 on, at a function's entry: above the return address. */
gs_inline gs_u64 gs_regs_stack_argument(const struct gs_regs *r, gs_s64 n)
{
	return r->sp + 8 * (n - 6);
}

/* Go's register ABI: the goroutine that runs, its struct g. */
gs_inline gs_u64 gs_regs_goroutine(const struct gs_regs *r)
{
	return r->r14;
}

/* Cycles: cheap and, as far as order of insertion is concerned, common to all CPUs. */
gs_inline gs_u64 gs_cycles(void)
{
	return __builtin_ia32_rdtsc();
}

#ifdef GS_RUNTIME_IN_KERNEL

#include <linux/irqflags.h>
#include <linux/ptrace.h>
#include <asm/cpufeature.h>
#include <asm/tsc.h>
#include <asm/vsyscall.h>

static_assert(sizeof(struct gs_regs) == sizeof(struct pt_regs));

/* May cli and sti be used directly? Not on Xen's paravirtual CPUs. */
static inline bool gs_native(void)
{
	return !boot_cpu_has(X86_FEATURE_XENPV);
}

/* Saves and restores the interrupt flag; native: by the instructions themselves, without paravirtual patching. */
static __always_inline unsigned long gs_irq_save(bool native)
{
	unsigned long flags;

	if (native) {
		flags = native_save_fl();
		native_irq_disable();
	} else {
		local_irq_save(flags);
	}
	return flags;
}

static __always_inline void gs_irq_restore(unsigned long flags, bool native)
{
	if (!native)
		local_irq_restore(flags);
	else if (flags & X86_EFLAGS_IF)
		native_irq_enable();
}

/* Has the kernel found the TSC to be synchronised across CPUs, with a constant rate? */
static inline bool gs_cycles_ascend(void)
{
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) && boot_cpu_has(X86_FEATURE_NONSTOP_TSC) && !check_tsc_unstable();
}

/* Reads the TSC after all previous instructions. */
static inline u64 gs_cycles_ordered(void)
{
	return rdtsc_ordered();
}

static inline u32 gs_cycles_khz(void)
{
	return tsc_khz;
}

/* Upper half, canonical, and not the vsyscall page, whose faults are handled as a user's. */
static __always_inline bool gs_kernel_range(u64 addr, u64 size)
{
	return (s64)addr >> __VIRTUAL_MASK_SHIFT == -1 && addr + size > addr &&
	       (addr & PAGE_MASK) != VSYSCALL_ADDR && ((addr + size - 1) & PAGE_MASK) != VSYSCALL_ADDR;
}

#endif

#endif
