// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hwbreak.c - data that the processor watches: a debug register of every CPU
 * for each point, of those that are plugged in later, too. args[0] is the
 * address where there is no symbol, args[1] the length, below 0 if reading
 * counts too. The handler runs behind the instruction, in the context of the
 * debug exception: as in an NMI.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "../dispatch.h"

struct gs_watch {
	struct perf_event_attr attr;
	struct perf_event *__percpu *events;	/* NULL: the CPU is not there, or has no register left */
	struct gs_hit hit;
	int err;				/* the first CPU's that has not; while they are armed */
};

static struct gs_watch *gs_watches;
static u32 gs_nwatches;
static int gs_watch_hotplug;		/* its state; 0: none */
static bool gs_watch_late;		/* what fails now concerns a CPU that comes later */

static void gs_watch_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct gs_watch *w = event->overflow_handler_context;

	gs_run(&w->hit, regs, regs->ip, false);
}

/* A session goes on where a new CPU has a register less, but says so. */
static void gs_watch_refused(struct gs_watch *w, unsigned int cpu, int err)
{
	char text[96];
	int n;

	if (!gs_watch_late) {
		w->err = w->err ?: err;
		return;
	}
	n = scnprintf(text, sizeof(text), "processor %u, which was plugged in, can't watch this (error %d)", cpu, -err);
	gs_message(GS_MSG_WARNING, text, n, NULL, w->hit.point->name);
}

/* On the CPU that comes; follow waits. */
static int gs_watch_cpu_up(unsigned int cpu)
{
	struct perf_event *event;
	u32 i;

	for (i = 0; i < gs_nwatches; i++) {
		struct gs_watch *w = &gs_watches[i];

		if (w->err)
			continue;
		w->attr.disabled = !gs_wanted(w->hit.slot);
		event = perf_event_create_kernel_counter(&w->attr, cpu, NULL, gs_watch_hit, w);
		if (IS_ERR(event))
			gs_watch_refused(w, cpu, PTR_ERR(event));
		else
			*per_cpu_ptr(w->events, cpu) = event;
	}
	return 0;
}

static void gs_watch_release(struct gs_watch *w, unsigned int cpu)
{
	struct perf_event **event = per_cpu_ptr(w->events, cpu);

	if (*event)
		perf_event_release_kernel(*event);
	*event = NULL;
}

static int gs_watch_cpu_down(unsigned int cpu)
{
	u32 i;

	for (i = 0; i < gs_nwatches; i++)
		gs_watch_release(&gs_watches[i], cpu);
	return 0;
}

/* -ENOMEM, or 0: a point without address goes to gs_unarmed(). */
static int gs_watch_make(struct gs_watch *w, const struct gs_point *p)
{
	s64 length = p->args[1];

	hw_breakpoint_init(&w->attr);
	w->attr.bp_addr = p->symbol == GS_NO_SYMBOL ? p->args[0] : gs_point_addr(p);
	w->attr.bp_len = length < 0 ? -length : length;
	w->attr.bp_type = length < 0 ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	w->hit = gs_hit_of(p);
	w->err = w->attr.bp_addr ? 0 : -ENOENT;
	w->events = alloc_percpu(struct perf_event *);
	return w->events ? 0 : -ENOMEM;
}

/* All CPUs watch a point, or none does. */
static void gs_watches_check(void)
{
	int cpu;
	u32 i;

	for (i = 0; i < gs_nwatches; i++) {
		struct gs_watch *w = &gs_watches[i];

		if (!w->err)
			continue;
		gs_unarmed(w->hit.point, w->err);
		for_each_possible_cpu(cpu)
			gs_watch_release(w, cpu);
	}
}

static int gs_watches_arm(const struct gs_point **points, u32 n)
{
	int err, state;

	gs_watches = kvcalloc(n, sizeof(*gs_watches), GFP_KERNEL);
	if (!gs_watches)
		return -ENOMEM;
	for (; gs_nwatches < n; gs_nwatches++) {
		err = gs_watch_make(&gs_watches[gs_nwatches], points[gs_nwatches]);
		if (err)
			return err;
	}
	gs_watch_late = false;
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "gostap:hwbreak", gs_watch_cpu_up, gs_watch_cpu_down);
	if (state < 0)
		return state;
	gs_watch_hotplug = state;
	cpus_read_lock();
	gs_watch_late = true;
	gs_watches_check();
	cpus_read_unlock();
	return 0;
}

/* A debug register stays its point's, armed or not. */
static void gs_watches_follow(void)
{
	struct perf_event *event;
	u32 i;
	int cpu;

	cpus_read_lock();
	for (i = 0; i < gs_nwatches; i++)
		for_each_online_cpu(cpu) {
			event = *per_cpu_ptr(gs_watches[i].events, cpu);
			if (event && gs_wanted(gs_watches[i].hit.slot))
				perf_event_enable(event);
			else if (event)
				perf_event_disable(event);
		}
	cpus_read_unlock();
}

static void gs_watches_disarm(void)
{
	if (gs_watch_hotplug)
		cpuhp_remove_state(gs_watch_hotplug);	/* releases them */
	gs_watch_hotplug = 0;
	while (gs_nwatches)
		free_percpu(gs_watches[--gs_nwatches].events);
	kvfree(gs_watches);
	gs_watches = NULL;
}

static const struct gs_family gs_family_hwbreak = {
	.name = "hwbreak", .flags = GS_FAMILY_EVENT, .arm = gs_watches_arm, .follow = gs_watches_follow, .disarm = gs_watches_disarm,
};
