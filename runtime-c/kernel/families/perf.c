// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf.c - hardware and software events of perf: a counter on every CPU for each
 * point; args are those of gs_perf_attr(). The handler runs with the registers of
 * the interrupted code, for hardware events in an NMI.
 */
#include "../counter.h"

static int gs_perf_describe(struct perf_event_attr *attr, const struct gs_point *p)
{
	gs_perf_attr(attr, p);
	return 0;
}

static struct gs_counters gs_perf_events = { .describe = gs_perf_describe };

static int gs_perf_arm(const struct gs_point **points, u32 n)
{
	return gs_counters_arm(&gs_perf_events, points, n);
}

static void gs_perf_update(void)
{
	gs_counters_update(&gs_perf_events);
}

static void gs_perf_disarm(void)
{
	gs_counters_disarm(&gs_perf_events);
}

static const struct gs_family gs_family_perf = {
	.name = "perf", .arm = gs_perf_arm, .update = gs_perf_update, .disarm = gs_perf_disarm,
};
