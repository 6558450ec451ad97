// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * visit.c - runs a function in other tasks, in each before it returns to user
 * space, by task_work. A task that sleeps is not woken, and may still sleep when
 * the session ends. Its callback is then replaced by the kernel's kfree(), which
 * frees the memory of the visit after the module is gone.
 */
#include <linux/delay.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>

#include "internal.h"
#include "visit.h"

#if GS_CAN_VISIT
struct gs_visit {
	struct callback_head work;	/* the first member, as kfree() is called with its address */
	struct list_head pending;	/* empty: it is not in the list any more */
	struct gs_visits *of;
};

/* For the lists of visits. Taken in tasks, also in handlers of process probes, never in interrupts. */
static DEFINE_SPINLOCK(gs_visits_lock);

/**
 * gs_visits_open() - allows visits
 * @v: the visits
 * @run: the function that runs in the tasks; it may sleep
 *
 * Context: A task, with gs_session_mutex held.
 */
void gs_visits_open(struct gs_visits *v, void (*run)(void))
{
	lockdep_assert_held(&gs_session_mutex);
	INIT_LIST_HEAD(&v->pending);
	v->run = run;
	spin_lock(&gs_visits_lock);
	v->open = true;
	spin_unlock(&gs_visits_lock);
}

static void gs_visit_here(struct callback_head *work)
{
	struct gs_visit *e = container_of(work, struct gs_visit, work);
	struct gs_visits *v = e->of;
	bool wanted;

	spin_lock(&gs_visits_lock);
	wanted = !list_empty(&e->pending);
	list_del_init(&e->pending);
	v->under_way += wanted;
	spin_unlock(&gs_visits_lock);
	kfree(e);
	if (!wanted)
		return;
	v->run();
	spin_lock(&gs_visits_lock);
	v->under_way--;
	spin_unlock(&gs_visits_lock);
}

/**
 * gs_visit() - visits a task, if visits are open
 * @v: the visits
 * @t: the current task, a new one that has not run yet, or one with a reference
 *
 * Context: A task's, that may be atomic, but under PREEMPT_RT, and not in interrupts.
 */
void gs_visit(struct gs_visits *v, struct task_struct *t)
{
	struct gs_visit *e = kmalloc(sizeof(*e), GFP_ATOMIC | __GFP_NOWARN);

	if (!e) {
		gs_skip_here(GS_SKIP_MEMORY);
		return;
	}
	e->of = v;
	init_task_work(&e->work, gs_visit_here);
	spin_lock(&gs_visits_lock);
	if (v->open) {
		v->used = true;
		list_add(&e->pending, &v->pending);
		if (!task_work_add(t, &e->work, TWA_RESUME))
			e = NULL;
		else
			list_del(&e->pending);
	}
	spin_unlock(&gs_visits_lock);
	kfree(e);
}

/**
 * gs_visit_existing() - visits existing tasks
 * @v: the visits
 * @concerned: chooses them; called with the task locked by task_lock()
 *
 * Children of the caller are left out: the command of -c has not begun yet.
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_visit_existing(struct gs_visits *v, bool (*concerned)(const struct task_struct *t))
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
		if (take)
			gs_visit(v, t);
	}
	rcu_read_unlock();
}

/**
 * gs_visits_close() - undoes gs_visits_open(); afterwards none of its visits runs
 * @v: the visits
 *
 * Context: A task that may sleep, with gs_session_mutex held, which no visit takes.
 */
void gs_visits_close(struct gs_visits *v)
{
	struct gs_visit *e, *next;

	lockdep_assert_held(&gs_session_mutex);
	if (!v->run)
		return;
	spin_lock(&gs_visits_lock);
	v->open = false;
	list_for_each_entry_safe(e, next, &v->pending, pending) {
		list_del_init(&e->pending);
		WRITE_ONCE(e->work.func, (task_work_func_t)kfree);
	}
	spin_unlock(&gs_visits_lock);
	if (!v->used)
		return;
	while (READ_ONCE(v->under_way))
		msleep(1);
	/* Waits for tasks that have already read the old callback, or still run it. */
	synchronize_rcu_tasks();
}
#else
void gs_visits_open(struct gs_visits *v, void (*run)(void))
{
}

void gs_visit(struct gs_visits *v, struct task_struct *t)
{
}

void gs_visit_existing(struct gs_visits *v, bool (*concerned)(const struct task_struct *t))
{
}

void gs_visits_close(struct gs_visits *v)
{
}
#endif
