// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hwbreak.c - data watchpoints, by a debug register of every CPU for each point.
 * args[0] is the address if there is no symbol, args[1] the length, negative if
 * reads are hits, too. The handler runs after the instruction, in the debug
 * exception, a context like an NMI. A point keeps its debug register while it is
 * disarmed.
 */
#include <linux/hw_breakpoint.h>

#include "../counter.h"

static int gs_watch_describe(struct perf_event_attr *attr, const struct gs_point *p)
{
	s64 length = p->args[1];

	hw_breakpoint_init(attr);
	attr->bp_addr = p->symbol == GS_NO_SYMBOL ? p->args[0] : gs_point_addr(p);
	attr->bp_len = length < 0 ? -length : length;
	attr->bp_type = length < 0 ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	return attr->bp_addr ? 0 : -ENOENT;
}

static struct gs_counters gs_watches = { .describe = gs_watch_describe };

static int gs_watches_arm(const struct gs_point **points, u32 n)
{
	return gs_counters_arm(&gs_watches, points, n);
}

static void gs_watches_update(void)
{
	gs_counters_update(&gs_watches);
}

static void gs_watches_disarm(void)
{
	gs_counters_disarm(&gs_watches);
}

static const struct gs_family gs_family_hwbreak = {
	.name = "hwbreak", .flags = GS_FAMILY_EVENT, .arm = gs_watches_arm, .update = gs_watches_update, .disarm = gs_watches_disarm,
};
