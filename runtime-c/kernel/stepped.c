// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stepped.c - the tasks whose instructions are probed, with work that each does
 * before it goes on in user space. A session's end waits until the flag is gone
 * from all of them, but not for one that sleeps on its way to its work, perhaps
 * for ever, as a server of files is silent: that work's callback is replaced by
 * the kernel's kfree(), which frees its memory after the module is gone.
 */
#include <linux/delay.h>
#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "internal.h"
#include "stepped.h"

bool gs_stepping;

static DEFINE_HASHTABLE(gs_steps, 8);
static DEFINE_SPINLOCK(gs_steps_lock);	/* taken in tasks alone */

/* NULL if it isn't stepped. Context: Any, under rcu_read_lock() or gs_steps_lock. */
struct gs_stepped *gs_stepped_of(const struct task_struct *t)
{
	struct gs_stepped *s;

	hash_for_each_possible_rcu(gs_steps, s, by_task, (unsigned long)t, lockdep_is_held(&gs_steps_lock))
		if (s->task == t)
			return s;
	return NULL;
}

/* Has the current task stepped; NULL without memory. Context: A task that may sleep, which isn't stepped. */
struct gs_stepped *gs_stepped_add(task_work_func_t work)
{
	struct gs_stepped *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	init_task_work(&s->work, work);
	s->task = current;
	s->arrived = true;
	spin_lock(&gs_steps_lock);
	hash_add_rcu(gs_steps, &s->by_task, (unsigned long)current);
	spin_unlock(&gs_steps_lock);
	return s;
}

static void gs_stepped_forget(struct gs_stepped *s)
{
	lockdep_assert_held(&gs_steps_lock);
	hash_del_rcu(&s->by_task);
	kfree_rcu(s, rcu);
}

/* Has the work run before the task goes on in user space. Context: The task, atomic or not, or with gs_steps_lock held. */
static void gs_stepped_have_work(struct gs_stepped *s)
{
	if (!cmpxchg(&s->queued, false, true) && task_work_add(s->task, &s->work, TWA_RESUME))
		WRITE_ONCE(s->queued, false);
}

/* Has the work run before the current task goes on in user space, if the session goes on. Context: Any, under rcu_read_lock(). */
void gs_stepped_queue(struct gs_stepped *s)
{
	if (READ_ONCE(gs_stepping))
		gs_stepped_have_work(s);
}

/* The work calls this first, and does nothing and touches s no more if the result is false. */
bool gs_stepped_begin_work(struct gs_stepped *s)
{
	bool abandoned;

	spin_lock(&gs_steps_lock);
	abandoned = s->abandoned;
	s->queued = false;
	s->working = true;
	spin_unlock(&gs_steps_lock);
	if (abandoned)
		kfree(s);
	return !abandoned;
}

/* Clears the flag in the current task. Context: Any. */
void gs_stepped_clear(struct gs_stepped *s)
{
	gs_trapflag_clear(current);
	WRITE_ONCE(s->flagged, false);
}

/* The work calls this last. forget: the task is not stepped any more. */
void gs_stepped_end_work(struct gs_stepped *s, bool forget)
{
	spin_lock(&gs_steps_lock);
	s->working = false;
	if (forget) {
		gs_stepped_clear(s);
		gs_stepped_forget(s);
	}
	spin_unlock(&gs_steps_lock);
}

/* Sets the flag in the current task, if the session goes on. */
void gs_stepped_go_on(struct gs_stepped *s, struct pt_regs *regs)
{
	spin_lock(&gs_steps_lock);
	if (gs_stepping) {
		gs_trapflag_set(regs);
		s->flagged = true;
	} else if (s->flagged) {
		gs_stepped_clear(s);
	}
	spin_unlock(&gs_steps_lock);
}

/* The current task exits. If work is queued, that is what forgets it. */
void gs_stepped_exits(void)
{
	struct gs_stepped *s;

	spin_lock(&gs_steps_lock);
	s = gs_stepped_of(current);
	if (s) {
		gs_stepped_clear(s);
		s->exited = true;
		if (!s->queued)
			gs_stepped_forget(s);
	}
	spin_unlock(&gs_steps_lock);
}

/*
 * How many tasks may still run with the flag, or their work? Forgets the others, but not those whose work is queued. A
 * task that runs has its flag cleared when it is met, but a debugger may have cleared it before; so it is called to its work.
 */
static u32 gs_stepped_left(void)
{
	struct hlist_node *next;
	struct gs_stepped *s;
	u32 left = 0;
	int bucket;

	spin_lock(&gs_steps_lock);
	hash_for_each_safe(gs_steps, bucket, next, s, by_task) {
		if (s->working) {
			left++;
		} else if (READ_ONCE(s->flagged) && !gs_trapflag_clear_other(s->task)) {
			gs_stepped_have_work(s);
			left++;
		} else if (!READ_ONCE(s->queued)) {
			gs_stepped_forget(s);
		}
	}
	spin_unlock(&gs_steps_lock);
	return left;
}

/* Waits until the flag is gone from all tasks. Context: A task that may sleep, with gs_session_mutex held. */
void gs_stepped_stop(void)
{
	lockdep_assert_held(&gs_session_mutex);
	spin_lock(&gs_steps_lock);
	WRITE_ONCE(gs_stepping, false);
	spin_unlock(&gs_steps_lock);
	synchronize_rcu();	/* from here on, nobody calls gs_stepped_queue() who has read another value */
	while (gs_stepped_left())
		msleep(1);
}

/* Forgets all tasks but those whose work runs: how many? */
static u32 gs_stepped_working(void)
{
	struct hlist_node *next;
	struct gs_stepped *s;
	u32 working = 0;
	int bucket;

	spin_lock(&gs_steps_lock);
	hash_for_each_safe(gs_steps, bucket, next, s, by_task) {
		if (s->working) {
			working++;
			continue;
		}
		hash_del(&s->by_task);
		if (s->queued) {
			s->abandoned = true;
			WRITE_ONCE(s->work.func, (task_work_func_t)kfree);
		} else {
			kfree(s);
		}
	}
	spin_unlock(&gs_steps_lock);
	return working;
}

/**
 * gs_stepped_abandon() - forgets all tasks
 *
 * After gs_stepped_stop(), when nothing calls gs_stepped_of() or gs_stepped_exits() any more.
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_stepped_abandon(void)
{
	lockdep_assert_held(&gs_session_mutex);
	while (gs_stepped_working())
		msleep(1);
	/* Waits for tasks that still run a callback, or have read the one that is replaced. */
	synchronize_rcu_tasks();
}
