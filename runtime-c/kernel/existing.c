// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * existing.c - handlers that run in tasks which are there already, in each
 * before it goes on in user space. The kernel calls back when a task comes to
 * that: one that sleeps is not woken, and may sleep on when the session ends.
 * What it finds then, where the module was, is the kernel's own kfree(), of the
 * memory that waits for it.
 */
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>

#include "existing.h"

#if GS_HAVE_TASK_WORK && !defined(CONFIG_CFI_CLANG)
struct gs_existing {
	struct callback_head work;	/* first, as kfree() gets its address */
	struct list_head all;		/* empty: it has been taken off */
};

static LIST_HEAD(gs_existing_tasks);
static DEFINE_SPINLOCK(gs_existing_lock);	/* never in handlers */
static void (*gs_existing_run)(void);		/* NULL: there were no such tasks */

static void gs_existing_here(struct callback_head *work)
{
	struct gs_existing *e = container_of(work, struct gs_existing, work);
	bool wanted;

	spin_lock(&gs_existing_lock);
	wanted = !list_empty(&e->all);
	list_del_init(&e->all);
	spin_unlock(&gs_existing_lock);
	if (wanted)
		gs_existing_run();
	kfree(e);
}

static void gs_existing_add(struct task_struct *t)
{
	struct gs_existing *e = kmalloc(sizeof(*e), GFP_ATOMIC | __GFP_NOWARN);

	if (!e) {
		gs_skip_here(GS_SKIP_MEMORY);
		return;
	}
	init_task_work(&e->work, gs_existing_here);
	spin_lock(&gs_existing_lock);
	list_add(&e->all, &gs_existing_tasks);
	if (task_work_add(t, &e->work, TWA_RESUME)) {
		list_del(&e->all);
		kfree(e);
	}
	spin_unlock(&gs_existing_lock);
}

/**
 * gs_existing_visit() - has something run in tasks that are there
 * @concerned: in which; called with the task locked by task_lock()
 * @visit: runs in the task, which may sleep
 *
 * What the caller has started itself is left out: the session's command, which
 * has yet to begin.
 *
 * Context: A task that may sleep, with gs_session_mutex held; once.
 */
void gs_existing_visit(bool (*concerned)(const struct task_struct *t), void (*visit)(void))
{
	struct task_struct *process, *t;

	lockdep_assert_held(&gs_session_mutex);
	rcu_read_lock();
	for_each_process_thread(process, t) {
		bool take = false;

		task_lock(t);
		if (t->mm && !(t->flags & PF_KTHREAD) && rcu_dereference(t->real_parent)->tgid != current->tgid)
			take = concerned(t);
		task_unlock(t);
		if (!take)
			continue;
		gs_existing_run = visit;
		gs_existing_add(t);
	}
	rcu_read_unlock();
}

/**
 * gs_existing_leave() - undoes gs_existing_visit(); afterwards none of it runs
 *
 * Context: A task that may sleep.
 */
void gs_existing_leave(void)
{
	struct gs_existing *e, *next;

	if (!gs_existing_run)
		return;
	spin_lock(&gs_existing_lock);
	list_for_each_entry_safe(e, next, &gs_existing_tasks, all) {
		list_del_init(&e->all);
		WRITE_ONCE(e->work.func, (task_work_func_t)kfree);
	}
	spin_unlock(&gs_existing_lock);
	/* A task may have been about to call what it was before, or still be there. */
	synchronize_rcu_tasks();
	gs_existing_run = NULL;
}
#else
void gs_existing_visit(bool (*concerned)(const struct task_struct *t), void (*visit)(void))
{
}

void gs_existing_leave(void)
{
}
#endif
