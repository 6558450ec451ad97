// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stackspace.c - how much of the kernel's stack is left. A task's stack is known
 * from the task. Interrupts and exceptions have stacks for each CPU, which the
 * unwinder finds; as they never move, their bounds are cached.
 */
#include <linux/sched/task_stack.h>
#include <asm/unwind.h>

#include "internal.h"

/* Kernels with sanitizers have larger stacks, and need more of them. */
u32 gs_stack_floor(u32 probe)
{
	u64 need = gs_stack_use[probe] + (u64)gs_program.limits.minstackspace;

	return min_t(u64, need * (THREAD_SIZE >> 14), THREAD_SIZE);
}

/* An NMI may interrupt this and write the same values. */
static noinline void gs_note_stack(struct gs_stack_bounds *stacks)
{
	struct unwind_state state;
	struct gs_stack_bounds *s;

	unwind_start(&state, current, NULL, NULL);
	if (state.stack_info.type == STACK_TYPE_UNKNOWN || (unsigned)state.stack_info.type >= GS_NSTACKS)
		return;
	s = &stacks[state.stack_info.type];
	WRITE_ONCE(s->low, (unsigned long)state.stack_info.begin);
	WRITE_ONCE(s->high, (unsigned long)state.stack_info.end);
}

/* 0: the stack is none of these. */
static unsigned long gs_other_stack_left(const struct gs_stack_bounds *stacks, unsigned long sp)
{
	unsigned int i;

	for (i = 0; i < GS_NSTACKS; i++)
		if (sp - READ_ONCE(stacks[i].low) < READ_ONCE(stacks[i].high) - READ_ONCE(stacks[i].low))
			return sp - READ_ONCE(stacks[i].low);
	return 0;
}

/*
 * The unwinder does not know the stack of a task that is about to be current:
 * __switch_to() already runs on it. Tasks' stacks are aligned to their size.
 */
gs_size gs_stack_left(void)
{
	unsigned long sp = current_stack_pointer, left = sp - (unsigned long)task_stack_page(current);
	struct gs_stack_bounds *stacks;

	if (left < THREAD_SIZE)
		return left;
	stacks = this_cpu_ptr(gs_cpus)->stacks;
	left = gs_other_stack_left(stacks, sp);
	if (left)
		return left;
	gs_note_stack(stacks);
	return gs_other_stack_left(stacks, sp) ?: sp % THREAD_SIZE;
}

int gs_stack_suffices(struct gs_ctx *c)
{
	return gs_stack_left() >= gs_slots[c->point->probe].stack_floor;
}
