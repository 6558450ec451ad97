// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counter.c - points that are hit by perf events: a counter on each CPU, also
 * on CPUs that are plugged in later. Counters are created and released by CPU
 * hotplug callbacks, with an instance of a hotplug state for each family.
 *
 * Most software events have a static key, and to switch one waits for CPU
 * hotplug: in a hotplug callback that is a deadlock. Counters of these events
 * are created a moment later, by gs_counters_update(); those of a CPU that is
 * unplugged stay, count nothing, and are replaced when it is back.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/slab.h>

#include "counter.h"
#include "dispatch.h"

/* The counter of a CPU. */
struct gs_cpu_event {
	struct perf_event *event;		/* NULL: the CPU is not there, or can't count this */
	bool due;				/* the CPU is online, and gs_counters_update() is to create it */
};

struct gs_counter {
	struct perf_event_attr attr;
	struct gs_cpu_event __percpu *events;
	struct gs_hit hit;
	atomic_t throttled;			/* by gs_perf_note_throttling() */
	bool waits;				/* creating or releasing one waits for CPU hotplug */
	int err;				/* of the first CPU that can't count it; while they are armed */
};

static int gs_counter_state;		/* of hotplug; while there are users */
static u32 gs_counter_users;		/* families that have an instance */

static void gs_counter_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct gs_counter *c = event->overflow_handler_context;

	gs_run(&c->hit, regs, regs->ip, false);
	gs_perf_note_throttling(event, &c->throttled);
}

/**
 * gs_perf_say_throttled() - warns that perf has left out events of a point
 * @p: the point
 * @throttled: how many times it has begun to, by gs_perf_note_throttling()
 *
 * Context: A task.
 */
void gs_perf_say_throttled(const struct gs_point *p, atomic_t *throttled)
{
	u32 times = atomic_read(throttled);
	char text[128];
	int n;

	if (!times)
		return;
	n = scnprintf(text, sizeof(text), "the kernel left out events, in %u ticks of its clock: they come too often for kernel.perf_event_max_sample_rate",
		      times);
	gs_message(GS_MSG_WARNING, text, n, NULL, p->name);
}

#define GS_PERF_TYPE_SHIFT 47
#define GS_PERF_TYPE_MAX ((1 << 15) - 1)

/**
 * gs_perf_attr() - fills in the attributes of a point's perf event
 * @attr: zeroed by the caller
 * @p: the point. args[0] is the event's config; args[1] is its type (15 bits, from 47 on) and how many events lead to a
 *     hit (below them; 0: there are no hits), or, negated, the type and how many hits there are to be in a second
 */
void gs_perf_attr(struct perf_event_attr *attr, const struct gs_point *p)
{
	u64 rate = p->args[1] < 0 ? -p->args[1] : p->args[1];

	attr->size = sizeof(*attr);
	attr->type = rate >> GS_PERF_TYPE_SHIFT & GS_PERF_TYPE_MAX;
	attr->config = p->args[0];
	attr->freq = p->args[1] < 0;
	attr->sample_period = rate & ((1ull << GS_PERF_TYPE_SHIFT) - 1);	/* in a union with sample_freq */
}

/* If a new CPU can't count an event, the session goes on with a warning. */
static void gs_counter_refused(const struct gs_counters *counters, struct gs_counter *c, unsigned int cpu, int err)
{
	char text[96];
	int n;

	if (!counters->late) {
		c->err = c->err ?: err;
		return;
	}
	n = scnprintf(text, sizeof(text), "processor %u, which was plugged in, can't watch this (error %d)", cpu, -err);
	gs_message(GS_MSG_WARNING, text, n, NULL, c->hit.point->name);
}

/* Hardware events, breakpoints and clocks have no static key. */
static bool gs_counter_waits(const struct perf_event_attr *attr)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
	case PERF_TYPE_BREAKPOINT:
		return false;
	case PERF_TYPE_SOFTWARE:
		return attr->config != PERF_COUNT_SW_CPU_CLOCK && attr->config != PERF_COUNT_SW_TASK_CLOCK;
	}
	return true;
}

static void gs_counter_make(const struct gs_counters *counters, struct gs_counter *c, unsigned int cpu)
{
	struct perf_event *event;

	c->attr.disabled = !gs_wanted(c->hit.slot);
	event = perf_event_create_kernel_counter(&c->attr, cpu, NULL, gs_counter_hit, c);
	if (!IS_ERR(event))
		per_cpu_ptr(c->events, cpu)->event = event;
	else if (cpu_online(cpu))	/* else it has gone meanwhile */
		gs_counter_refused(counters, c, cpu, PTR_ERR(event));
}

static void gs_counter_release(struct gs_counter *c, unsigned int cpu)
{
	struct gs_cpu_event *e = per_cpu_ptr(c->events, cpu);

	if (e->event)
		perf_event_release_kernel(e->event);
	e->event = NULL;
}

static void gs_counter_release_all(struct gs_counter *c)
{
	int cpu;

	for_each_possible_cpu(cpu)
		gs_counter_release(c, cpu);
}

/* On the CPU that comes online; changes of other CPUs' counters wait meanwhile. */
static int gs_counter_cpu_up(unsigned int cpu, struct hlist_node *node)
{
	struct gs_counters *counters = hlist_entry(node, struct gs_counters, node);
	u32 i;

	for (i = 0; i < counters->n; i++) {
		struct gs_counter *c = &counters->all[i];

		if (c->err)
			continue;
		if (c->waits) {
			WRITE_ONCE(per_cpu_ptr(c->events, cpu)->due, true);
			gs_schedule_update();
		} else {
			gs_counter_make(counters, c, cpu);
		}
	}
	return 0;
}

static int gs_counter_cpu_down(unsigned int cpu, struct hlist_node *node)
{
	struct gs_counters *counters = hlist_entry(node, struct gs_counters, node);
	u32 i;

	for (i = 0; i < counters->n; i++)
		if (!counters->all[i].waits)
			gs_counter_release(&counters->all[i], cpu);
	return 0;
}

/* Creates the counters that are due. A CPU that comes online meanwhile makes its counters due again. */
static void gs_counter_make_due(const struct gs_counters *counters, struct gs_counter *c)
{
	int cpu;

	for_each_online_cpu(cpu) {
		if (c->err || !xchg(&per_cpu_ptr(c->events, cpu)->due, false))
			continue;
		gs_counter_release(c, cpu);
		gs_counter_make(counters, c, cpu);
	}
	if (c->err)
		gs_counter_release_all(c);
}

static void gs_counters_make_due(const struct gs_counters *counters)
{
	u32 i;

	for (i = 0; i < counters->n; i++)
		if (counters->all[i].waits)
			gs_counter_make_due(counters, &counters->all[i]);
}

static void gs_counters_release_waiting(struct gs_counters *counters)
{
	u32 i;

	for (i = 0; i < counters->n; i++)
		if (counters->all[i].waits)
			gs_counter_release_all(&counters->all[i]);
}

/* Creates a point's counters on all CPUs, or on none. */
static void gs_counters_check(struct gs_counters *counters)
{
	u32 i;

	for (i = 0; i < counters->n; i++) {
		struct gs_counter *c = &counters->all[i];

		if (!c->err)
			continue;
		gs_unarmed(c->hit.point, c->err);
		if (!c->waits)
			gs_counter_release_all(c);
	}
}

static void gs_counter_state_put(void)
{
	if (!gs_counter_users)
		cpuhp_remove_multi_state(gs_counter_state);
}

/* Creates the counters of the CPUs that are online, and of those that come online later. */
static int gs_counters_join(struct gs_counters *counters)
{
	int err;

	if (!gs_counter_users) {
		gs_counter_state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "gostap:counter", gs_counter_cpu_up,
							   gs_counter_cpu_down);
		if (gs_counter_state < 0)
			return gs_counter_state;
	}
	err = cpuhp_state_add_instance(gs_counter_state, &counters->node);
	if (err)
		gs_counter_state_put();
	else
		gs_counter_users++;
	return err;
}

/* Releases them all. */
static void gs_counters_leave(struct gs_counters *counters)
{
	if (hlist_unhashed(&counters->node))
		return;
	cpuhp_state_remove_instance(gs_counter_state, &counters->node);
	INIT_HLIST_NODE(&counters->node);
	gs_counter_users--;
	gs_counter_state_put();
}

/**
 * gs_counters_arm() - creates the points' counters on all CPUs
 * @counters: the family's, of which there are none yet
 * @points: the family's points; those that can't be counted go to gs_unarmed()
 * @n: how many they are
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 * Return: 0, or -errno; gs_counters_disarm() frees what has been made.
 */
int gs_counters_arm(struct gs_counters *counters, const struct gs_point **points, u32 n)
{
	int err;

	lockdep_assert_held(&gs_session_mutex);
	counters->all = kvcalloc(n, sizeof(*counters->all), GFP_KERNEL);
	if (!counters->all)
		return -ENOMEM;
	for (; counters->n < n; counters->n++) {
		struct gs_counter *c = &counters->all[counters->n];

		c->hit = gs_hit_of(points[counters->n]);
		c->err = counters->describe(&c->attr, c->hit.point);
		c->waits = gs_counter_waits(&c->attr);
		c->events = alloc_percpu(struct gs_cpu_event);
		if (!c->events)
			return -ENOMEM;
	}
	counters->late = false;
	err = gs_counters_join(counters);
	if (err)
		return err;
	gs_counters_make_due(counters);
	cpus_read_lock();
	counters->late = true;
	gs_counters_check(counters);
	cpus_read_unlock();
	return 0;
}

/**
 * gs_counters_update() - enables and disables counters by their conditions, and creates those of new CPUs
 * @counters: the family's; disabled ones keep their hardware registers
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_counters_update(struct gs_counters *counters)
{
	struct gs_cpu_event *e;
	u32 i;
	int cpu;

	lockdep_assert_held(&gs_session_mutex);
	gs_counters_make_due(counters);
	cpus_read_lock();
	for (i = 0; i < counters->n; i++)
		for_each_online_cpu(cpu) {
			e = per_cpu_ptr(counters->all[i].events, cpu);
			if (!e->event || READ_ONCE(e->due))
				continue;
			if (gs_wanted(counters->all[i].hit.slot))
				perf_event_enable(e->event);
			else
				perf_event_disable(e->event);
		}
	cpus_read_unlock();
}

/**
 * gs_counters_disarm() - undoes gs_counters_arm(), also one that failed
 * @counters: the family's
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_counters_disarm(struct gs_counters *counters)
{
	lockdep_assert_held(&gs_session_mutex);
	gs_counters_leave(counters);
	gs_counters_release_waiting(counters);
	/* A handler may still run on another CPU, interrupted by the release of its counter. */
	if (counters->n)
		synchronize_rcu();
	while (counters->n) {
		struct gs_counter *c = &counters->all[--counters->n];

		gs_perf_say_throttled(c->hit.point, &c->throttled);
		free_percpu(c->events);
	}
	kvfree(counters->all);
	counters->all = NULL;
}
