// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hwbreak.c - data that the processor watches: a debug register of every CPU
 * for each point. args[0] is the address where there is no symbol, args[1] the
 * length, below 0 if reading counts too. The handler runs behind the
 * instruction, in the context of the debug exception: as in an NMI.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "../dispatch.h"

struct gs_watch {
	struct perf_event *__percpu *events;
	struct gs_hit hit;
};

static struct gs_watch *gs_watches;	/* the armed ones */
static u32 gs_nwatches;

static void gs_watch_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct gs_watch *w = event->overflow_handler_context;

	gs_run(&w->hit, regs, regs->ip, false);
}

/* 0 or -errno. */
static int gs_watch_arm(struct gs_watch *w, const struct gs_point *p)
{
	struct perf_event_attr attr;
	s64 length = p->args[1];

	hw_breakpoint_init(&attr);
	attr.bp_addr = p->symbol == GS_NO_SYMBOL ? p->args[0] : gs_point_addr(p);
	attr.bp_len = length < 0 ? -length : length;
	attr.bp_type = length < 0 ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	if (!attr.bp_addr)
		return -ENOENT;
	w->hit = gs_hit_of(p);
	attr.disabled = !gs_wanted(w->hit.slot);
	w->events = register_wide_hw_breakpoint(&attr, gs_watch_hit, w);
	return PTR_ERR_OR_ZERO((void __force *)w->events);
}

static int gs_watches_arm(const struct gs_point **points, u32 n)
{
	u32 i;
	int err;

	gs_watches = kvcalloc(n, sizeof(*gs_watches), GFP_KERNEL);
	if (!gs_watches)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		err = gs_watch_arm(&gs_watches[gs_nwatches], points[i]);
		if (err == -ENOMEM)
			return err;
		if (err)
			gs_unarmed(points[i], err);
		else
			gs_nwatches++;
	}
	return 0;
}

/* A debug register stays its point's, armed or not. */
static void gs_watches_follow(void)
{
	u32 i;
	int cpu;

	cpus_read_lock();
	for (i = 0; i < gs_nwatches; i++)
		for_each_online_cpu(cpu)
			if (gs_wanted(gs_watches[i].hit.slot))
				perf_event_enable(*per_cpu_ptr(gs_watches[i].events, cpu));
			else
				perf_event_disable(*per_cpu_ptr(gs_watches[i].events, cpu));
	cpus_read_unlock();
}

static void gs_watches_disarm(void)
{
	while (gs_nwatches)
		unregister_wide_hw_breakpoint(gs_watches[--gs_nwatches].events);
	kvfree(gs_watches);
	gs_watches = NULL;
}

static const struct gs_family gs_family_hwbreak = {
	.name = "hwbreak", .arm = gs_watches_arm, .follow = gs_watches_follow, .disarm = gs_watches_disarm,
};
