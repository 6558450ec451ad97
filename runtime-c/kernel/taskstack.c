// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * taskstack.c - the kernel's stack of another task. It must not be freed
 * meanwhile: a task becomes dead under its pi_lock (set_special_state() in
 * kernel/sched/core.c), and frees its stack after that.
 */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <asm/unwind.h>

#include "internal.h"

/* Not in platform.h, which embedded C includes. */
#if GS_HAVE_TASK___STATE
#define gs_task_dies(t) (READ_ONCE((t)->__state) & TASK_DEAD)
#else
#define gs_task_dies(t) (READ_ONCE((t)->state) & TASK_DEAD)
#endif

/* The task at addr; NULL if there is none. It is valid until rcu_read_unlock(). */
static struct task_struct *gs_task_at(struct gs_ctx *c, u64 addr)
{
	pid_t tid = gs_load(c, addr + offsetof(struct task_struct, pid), sizeof(tid), 0, NULL);
	struct task_struct *t = tid > 0 && tid <= PID_MAX_LIMIT ? pid_task(find_pid_ns(tid, &init_pid_ns), PIDTYPE_PID) : NULL;

	return (u64)t == addr ? t : NULL;
}

/* The unwinder refuses a task that runs on another CPU. */
static u32 gs_unwind_task(u64 *to, struct task_struct *t)
{
	struct unwind_state state;
	u32 n = 0;

	for (unwind_start(&state, t, NULL, NULL); n < GS_STACK_DEPTH && !unwind_done(&state); unwind_next_frame(&state)) {
		unsigned long addr = unwind_get_return_address(&state);

		if (!addr)
			break;
		if (t == current && !n && within_module(addr, THIS_MODULE))
			continue; /* the unwinder starts in this function */
		to[n++] = addr;
	}
	return n;
}

const gs_u64 *gs_task_stack(struct gs_ctx *c, gs_u64 task, gs_u32 *n)
{
	u64 *to = container_of(c, struct gs_cpu, ctx)->stack;
	struct task_struct *t;
	unsigned long flags;

	*n = 0;
	rcu_read_lock();
	t = gs_task_at(c, task);
	/* The interrupted code may hold the lock, so it is only tried. */
	if (t && raw_spin_trylock_irqsave(&t->pi_lock, flags)) {
		if (!gs_task_dies(t))
			*n = gs_unwind_task(to, t);
		raw_spin_unlock_irqrestore(&t->pi_lock, flags);
	}
	rcu_read_unlock();
	return to;
}
