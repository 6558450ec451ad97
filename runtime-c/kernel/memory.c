// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory.c - memory for the script's data, and what else the core asks of a
 * platform about the machine.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "internal.h"

void *gs_alloc(gs_size size)
{
	return kvzalloc(size, GFP_KERNEL | __GFP_NOWARN);
}

void gs_free(void *p)
{
	kvfree(p);
}

gs_u32 gs_ncpus(void)
{
	return nr_cpu_ids;
}

void gs_lock_wait(void)
{
	cpu_relax();
	udelay(gs_program.limits.trylockdelay);
}

/*
 * Exact on the task's stack. An interrupt's is of the same size, and nearly
 * empty where an interrupt begins; a quarter of it is what we count upon.
 */
gs_size gs_stack_left(void)
{
	unsigned long left = current_stack_pointer - (unsigned long)task_stack_page(current);

	return left < THREAD_SIZE ? left : THREAD_SIZE / 4;
}
