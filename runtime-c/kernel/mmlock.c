// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mmlock.c - handlers look at a process's mappings. They take the lock if it
 * can be had at once. To give it back may wake somebody who waits for it, which
 * takes locks of the scheduler's that the probed code may hold: only where a
 * program itself has been interrupted, or nothing has, is it done at once. Else
 * irq_work does it when interrupts are on again. Under PREEMPT_RT up_read()
 * switches interrupts on, so that irq_work, a thread there, does it always.
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
 * A second time in one handler the lock is still held: irq_work waits for the
 * handler's end. On a CPU that goes it would not come. Lockdep is told that
 * irq_work gives back what this context has taken.
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
	/* A thread may come after the process has ended. */
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
