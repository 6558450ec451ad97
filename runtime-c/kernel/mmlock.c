// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mmlock.c - the lock of a process's mappings, for handlers. They take it if it
 * is free. To release it may wake a waiter, which takes locks of the scheduler
 * that the probed code may hold. So a handler releases it only if it has
 * interrupted a program, or nothing; otherwise irq_work does, when interrupts
 * are on again. Under PREEMPT_RT up_read() switches interrupts on, so irq_work,
 * a thread there, always does it.
 */
#include <linux/mm.h>
#include <linux/rwsem.h>
#include <linux/sched/mm.h>

#include "internal.h"
#include "userimage.h"

static bool gs_may_wake(struct gs_ctx *c)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return false;
	return c->interruptible || (c->regs && user_mode((struct pt_regs *)c->regs) && !in_nmi());
}

static void gs_unlock_later(struct irq_work *work)
{
	struct gs_mm_lock *l = container_of(work, struct gs_mm_lock, unlock);
	struct mm_struct *mm = l->mm;

	WRITE_ONCE(l->mm, NULL);
	up_read_non_owner(&mm->mmap_lock);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		mmdrop(mm);
}

/*
 * If a handler takes it a second time, it is still held: irq_work runs after the
 * handler's end. On a CPU that goes offline it would not run at all. Lockdep is
 * told that irq_work releases what this context has taken.
 */
bool gs_lock_mm(struct gs_ctx *c, struct mm_struct *mm)
{
	struct gs_mm_lock *l = &container_of(c, struct gs_cpu, ctx)->mm_lock;

	if (gs_may_wake(c))
		return down_read_trylock(&mm->mmap_lock);
	if (READ_ONCE(l->mm) == mm) {
		rwsem_acquire_read(&mm->mmap_lock.dep_map, 0, 1, _RET_IP_);
		return true;
	}
	if (READ_ONCE(l->mm) || gs_in_irq_work() || !cpu_active(smp_processor_id()) || !down_read_trylock(&mm->mmap_lock))
		return false;
	/* irq_work in a thread may run after the process has ended. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		mmgrab(mm);
	l->mm = mm;
	return true;
}

void gs_unlock_mm(struct gs_ctx *c, struct mm_struct *mm)
{
	if (gs_may_wake(c)) {
		up_read(&mm->mmap_lock);
		return;
	}
	rwsem_release(&mm->mmap_lock.dep_map, _RET_IP_);
	irq_work_queue(&container_of(c, struct gs_cpu, ctx)->mm_lock.unlock);
}

void gs_mm_locks_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		init_irq_work(&per_cpu_ptr(gs_cpus, cpu)->mm_lock.unlock, gs_unlock_later);
}

/* No handler runs any more. */
void gs_mm_locks_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(gs_cpus, cpu)->mm_lock.unlock);
}
