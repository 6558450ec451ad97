// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vector.c - the floating point registers of a program that a handler has
 * interrupted. The kernel does not touch a task's registers until another task
 * or kernel_fpu_begin() needs them: then it saves them to the task's memory and
 * sets TIF_NEED_FPU_LOAD (since Linux 5.2; see the comment at fpregs_lock in
 * arch/x86/include/asm/fpu/api.h). With interrupts off that can't happen between
 * the test of the flag and the read.
 */
#include <linux/sched.h>
#include <linux/thread_info.h>
#include <asm/cpufeature.h>
#include <asm/fpu/types.h>
#include <asm/processor.h>

#include "compat.h"
#include "gostap.h"

/* Since 6.16 it is behind the task's struct, as in x86_task_fpu(), which modules can't call with CONFIG_X86_DEBUG_FPU. */
#if GS_HAVE_TASK_FPU
#define gs_task_fpu() ((struct fpu *)((void *)current + sizeof(struct task_struct)))
#else
#define gs_task_fpu() (&current->thread.fpu)
#endif
#if GS_HAVE_FPSTATE
#define gs_saved_state() (&gs_task_fpu()->fpstate->regs)
#else
#define gs_saved_state() (&gs_task_fpu()->state)
#endif

static gs_u64 gs_live_vector(gs_u32 n)
{
	gs_u64 v = 0;

	switch (n) {
#define GS_XMM(i) case i: asm volatile("movq %%xmm" #i ", %0" : "=m"(v)); break
	GS_XMM(0); GS_XMM(1); GS_XMM(2); GS_XMM(3);
	GS_XMM(4); GS_XMM(5); GS_XMM(6); GS_XMM(7);
	GS_XMM(8); GS_XMM(9); GS_XMM(10); GS_XMM(11);
	GS_XMM(12); GS_XMM(13); GS_XMM(14); GS_XMM(15);
#undef GS_XMM
	}
	return v;
}

static gs_u64 gs_saved_vector(gs_u32 n)
{
	union fpregs_state *state = gs_saved_state();

	/* A component in its initial state, all zeros, may not have been saved. */
	if (static_cpu_has(X86_FEATURE_XSAVE) && !(state->xsave.header.xfeatures & XFEATURE_MASK_SSE))
		return 0;
	return state->fxsave.xmm_space[4 * n] | (gs_u64)state->fxsave.xmm_space[4 * n + 1] << 32;
}

gs_u64 gs_vector_register(gs_u32 n)
{
	unsigned long flags;
	gs_u64 v = 0;

	if (n > 15 || current->flags & PF_KTHREAD)
		return 0;
	local_irq_save(flags);
	v = test_thread_flag(TIF_NEED_FPU_LOAD) ? gs_saved_vector(n) : gs_live_vector(n);
	local_irq_restore(flags);
	return v;
}
