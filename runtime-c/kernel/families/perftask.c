// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perftask.c - events that perf counts in tasks: in all processes of a program,
 * also in those that start later, or in the tasks whose handlers read the
 * counter. Each task has counters of its own, which it makes itself before it
 * returns to user space: at the session's start, after fork, after exec. Args
 * are those of gs_perf_attr(); bit 62 of the second, before its sign, says that
 * only processes of the target's count. A point that is never hit is a counter,
 * which handlers read; file is its name. The image is the program; if a
 * counter's is the kernel, a task has it from the first time that it reads it.
 */
#include <linux/binfmts.h>
#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "../counter.h"
#include "../dispatch.h"
#include "../hook.h"
#include "../visit.h"

#define GS_PERF_OF_TARGET (1ull << 62)
#define GS_NOT_READ U32_MAX

struct gs_task_point {
	struct gs_hit hit;
	struct perf_event_attr attr;
	u32 counter;		/* the first of gs_program.points with this name; GS_NOT_READ: the point is hit, not read */
	bool of_target;
	atomic_t throttled;	/* by gs_perf_note_throttling() */
	int err;		/* perf can't count it */
};

/* The event of a point in a task. */
struct gs_task_event {
	struct perf_event *event;	/* NULL: it is not counted */
	struct gs_task_point *point;
	const struct mm_struct *mm;	/* hits count in this address space only, not during exec; never dereferenced */
};

/* The events of a task. Only the task itself changes them, with gs_counted_mutex held. */
struct gs_counted {
	struct hlist_node by_task;	/* handlers look it up under RCU */
	struct hlist_node gone;
	struct rcu_head rcu;
	const struct task_struct *task;	/* never dereferenced */
	bool ended;			/* the task has ended; another may be allocated at its address */
	struct gs_task_event events[];	/* of gs_task_points */
};

static struct gs_task_point *gs_task_points;
static u32 gs_ntask_points;		/* the number that handlers may read */
static DEFINE_HASHTABLE(gs_counted_tasks, 10);
static DEFINE_MUTEX(gs_counted_mutex);	/* for what is in gs_counted_tasks, and gs_task_points; inside gs_session_mutex */
static struct gs_visits gs_counted_visits;	/* of tasks that have begun or ended to run a probed program */
static struct gs_visits gs_reader_visits;	/* of tasks that have read a counter of the kernel image */

static struct gs_counted *gs_counted_find(const struct task_struct *t)
{
	struct gs_counted *c;

	hash_for_each_possible_rcu(gs_counted_tasks, c, by_task, (unsigned long)t, lockdep_is_held(&gs_counted_mutex))
		if (c->task == t && !READ_ONCE(c->ended))
			return c;
	return NULL;
}

static bool gs_is_for_readers(const struct gs_task_point *p)
{
	return p->counter != GS_NOT_READ && !p->hit.point->image;
}

static bool gs_is_counted(const struct gs_task_point *p, const struct task_struct *t)
{
	return !gs_is_for_readers(p) && (!p->of_target || gs_is_process(t, -1)) && gs_runs_program(t, p->hit.point->image) &&
	       gs_may_probe(t);
}

/* The current task, a new one that has not run yet, or one with a reference and task_lock(). */
static bool gs_counted_concerns(const struct task_struct *t)
{
	u32 i;

	for (i = 0; t->mm && !(t->flags & (PF_KTHREAD | PF_IO_WORKER)) && i < gs_ntask_points; i++)
		if (gs_is_counted(&gs_task_points[i], t))
			return true;
	return false;
}

static void gs_task_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct gs_task_event *e = event->overflow_handler_context;

	if (current->mm == e->mm)
		gs_run(&e->point->hit, regs, regs->ip, false);
	gs_perf_note_throttling(event, &e->point->throttled);
}

/* Creates a counter of the current task; disabled if its condition is false. */
static struct perf_event *gs_count_current(struct gs_task_event *e)
{
	struct gs_task_point *p = e->point;

	p->attr.disabled = !gs_wanted(p->hit.slot);
	return perf_event_create_kernel_counter(&p->attr, -1, current, gs_task_hit, e);
}

static void gs_counted_refused(struct gs_task_point *p, int err)
{
	char text[64];
	int n = scnprintf(text, sizeof(text), "a process can't be counted in (error %d)", -err);

	p->err = err;
	gs_message(GS_MSG_WARNING, text, n, NULL, p->hit.point->name);
}

/* Creates or releases an event of the current task. The kernel releases it itself when a set-user-id program is executed. */
static void gs_counted_set(struct gs_counted *c, u32 i, bool wanted)
{
	struct gs_task_event *e = &c->events[i];
	struct perf_event *event = e->event;

	lockdep_assert_held(&gs_counted_mutex);
	e->mm = current->mm;
	if (event && (!wanted || event->state <= PERF_EVENT_STATE_EXIT)) {
		e->event = NULL;
		perf_event_release_kernel(event);
	}
	if (e->event || !wanted || gs_task_points[i].err)
		return;
	e->point = &gs_task_points[i];
	event = gs_count_current(e);
	if (!IS_ERR(event))
		e->event = event;
	else if (PTR_ERR(event) == -ENOMEM)
		gs_skip_here(GS_SKIP_MEMORY);
	else
		gs_counted_refused(e->point, PTR_ERR(event));
}

/* Makes the current task's counters; those that it gets by reading, too, if reads. */
static void gs_counted_visit(bool reads)
{
	struct gs_counted *c, *made = NULL;
	u32 i;

	if (current->flags & PF_EXITING)
		return;
	mutex_lock(&gs_counted_mutex);
	c = gs_counted_find(current);
	if (!c)
		c = made = kzalloc(struct_size(c, events, gs_ntask_points), GFP_KERNEL);
	for (i = 0; c && i < gs_ntask_points; i++)
		gs_counted_set(c, i, gs_is_for_readers(&gs_task_points[i]) ? reads || c->events[i].event :
				     gs_is_counted(&gs_task_points[i], current));
	if (made) {
		made->task = current;
		hash_add_rcu(gs_counted_tasks, &made->by_task, (unsigned long)current);
	} else if (!c) {
		gs_skip_here(GS_SKIP_MEMORY);
	}
	mutex_unlock(&gs_counted_mutex);
}

static void gs_counted_visited(void)
{
	gs_counted_visit(false);
}

static void gs_counted_reader_visited(void)
{
	gs_counted_visit(true);
}

/* Frees the events of tasks that have ended, or of all. */
static void gs_counted_free(bool all)
{
	struct gs_counted *c;
	struct hlist_node *next;
	HLIST_HEAD(gone);
	int bucket;
	u32 i;

	mutex_lock(&gs_counted_mutex);
	hash_for_each_safe(gs_counted_tasks, bucket, next, c, by_task) {
		if (!all && !READ_ONCE(c->ended))
			continue;
		hash_del_rcu(&c->by_task);
		hlist_add_head(&c->gone, &gone);
	}
	mutex_unlock(&gs_counted_mutex);
	if (!hlist_empty(&gone))
		synchronize_rcu();
	hlist_for_each_entry_safe(c, next, &gone, gone) {
		for (i = 0; i < gs_ntask_points; i++)
			if (c->events[i].event)
				perf_event_release_kernel(c->events[i].event);
		kfree_rcu(c, rcu);	/* a handler may still read it */
	}
}

static void gs_counted_reap(struct work_struct *work)
{
	gs_counted_free(false);
}

static DECLARE_WORK(gs_counted_reaper, gs_counted_reap);

/* Called in the parent; the child has not run yet. */
static void gs_counted_forks(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (gs_counted_concerns(child))
		gs_visit(&gs_counted_visits, child);
}

static void gs_counted_executes(void *data, struct task_struct *task, pid_t old, struct linux_binprm *bprm)
{
	bool counted;

	rcu_read_lock();
	counted = gs_counted_find(current);
	rcu_read_unlock();
	if (counted || gs_counted_concerns(current))
		gs_visit(&gs_counted_visits, current);
}

static void gs_counted_exits(void *data, struct task_struct *task)
{
	struct gs_counted *c;

	rcu_read_lock();
	c = gs_counted_find(task);
	if (c)
		WRITE_ONCE(c->ended, true);
	rcu_read_unlock();
	if (c)
		queue_work(gs_workqueue, &gs_counted_reaper);
}

static struct gs_hook gs_counted_hooks[] = {
	{ "sched_process_fork", gs_counted_forks },
	{ "sched_process_exec", gs_counted_executes },
	{ "sched_process_exit", gs_counted_exits },
};

/* The first point that has a counter with the name of p's. */
static u32 gs_counter_of(const struct gs_point *p)
{
	u32 i;

	for (i = 0; p->file && i < gs_program.npoints; i++)
		if (!strcmp(gs_program.points[i].family, p->family) && gs_program.points[i].file &&
		    !strcmp(gs_program.points[i].file, p->file))
			return i;
	return GS_NOT_READ;
}

/* Can perf count it? Tried in the task that starts the session. The hooks allocate memory, which they can't under PREEMPT_RT. */
static int gs_task_point_try(struct gs_task_point *p)
{
	struct gs_task_event e = { .point = p };
	struct perf_event *event;

	if (!GS_CAN_VISIT || IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EOPNOTSUPP;
	event = gs_count_current(&e);
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

static int gs_counted_watch(void)
{
	int err = 0;
	u32 i;

	gs_visits_open(&gs_counted_visits, gs_counted_visited);
	gs_visits_open(&gs_reader_visits, gs_counted_reader_visited);
	for (i = 0; i < ARRAY_SIZE(gs_counted_hooks) && !err; i++)
		err = gs_hook_arm(&gs_counted_hooks[i]);
	return err;
}

/* 0 or -ENOMEM. For points that can't be counted, gs_unarmed() is called. */
static int gs_task_points_arm(const struct gs_point **points, u32 n)
{
	int err;
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	gs_task_points = kvcalloc(n, sizeof(*gs_task_points), GFP_KERNEL);
	if (!gs_task_points)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		struct gs_task_point *p = &gs_task_points[i];

		p->hit = gs_hit_of(points[i]);
		p->counter = gs_counter_of(points[i]);
		p->of_target = abs(points[i]->args[1]) & GS_PERF_OF_TARGET;
		gs_perf_attr(&p->attr, points[i]);
		p->err = gs_task_point_try(p);
	}
	WRITE_ONCE(gs_ntask_points, n);
	err = gs_counted_watch();
	for (i = 0; i < n; i++)
		if (err || gs_task_points[i].err)
			gs_unarmed(points[i], err ?: gs_task_points[i].err);
	return err == -ENOMEM ? err : 0;
}

static void gs_task_points_running(void)
{
	gs_visit_existing(&gs_counted_visits, gs_counted_concerns);
}

static void gs_task_points_update(void)
{
	struct gs_counted *c;
	int bucket;
	u32 i;

	mutex_lock(&gs_counted_mutex);
	hash_for_each(gs_counted_tasks, bucket, c, by_task)
		for (i = 0; i < gs_ntask_points; i++) {
			if (!c->events[i].event)
				continue;
			if (gs_wanted(gs_task_points[i].hit.slot))
				perf_event_enable(c->events[i].event);
			else
				perf_event_disable(c->events[i].event);
		}
	mutex_unlock(&gs_counted_mutex);
}

static void gs_task_points_disarm(void)
{
	u32 i, n = gs_ntask_points;

	lockdep_assert_held(&gs_session_mutex);
	gs_hooks_disarm(gs_counted_hooks, ARRAY_SIZE(gs_counted_hooks));
	gs_visits_close(&gs_counted_visits);
	gs_visits_close(&gs_reader_visits);
	cancel_work_sync(&gs_counted_reaper);
	gs_counted_free(true);
	WRITE_ONCE(gs_ntask_points, 0);
	synchronize_rcu();	/* waits for handlers that read counters */
	for (i = 0; i < n; i++)
		gs_perf_say_throttled(gs_task_points[i].hit.point, &gs_task_points[i].throttled);
	kvfree(gs_task_points);
	gs_task_points = NULL;
}

/* The count of an event of the current task, which is active on this CPU or not at all. Like perf_event_read_local(), which is not exported. */
static u64 gs_event_count(struct perf_event *event)
{
	if (event->oncpu == smp_processor_id())
		event->pmu->read(event);
	return local64_read(&event->count);
}

gs_s64 gs_perf_count(gs_u32 counter)
{
	u32 i, n = READ_ONCE(gs_ntask_points);
	struct gs_counted *c;
	bool missing = false;
	u64 count = 0;

	rcu_read_lock();
	c = gs_counted_find(current);
	for (i = 0; i < n; i++) {
		if (gs_task_points[i].counter != counter)
			continue;
		if (c && c->events[i].event)
			count += gs_event_count(c->events[i].event);
		else
			missing |= gs_is_for_readers(&gs_task_points[i]);
	}
	rcu_read_unlock();
	if (missing)
		gs_visit(&gs_reader_visits, current);
	return count;
}

static const struct gs_family gs_family_perftask = {
	.name = "perftask", .arm = gs_task_points_arm, .running = gs_task_points_running,
	.update = gs_task_points_update, .disarm = gs_task_points_disarm,
};
