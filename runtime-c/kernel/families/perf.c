// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf.c - events that perf counts, by the processor or the kernel: a counter
 * of every CPU for each point. args[0] is the event's config; args[1] is its
 * type (bits 47 on) and how many events lead to a hit, or, negated, the type
 * and how many hits there are to be in a second. The handler runs with the
 * registers of what the event has come into, in an NMI for the processor's events.
 */
#include "../counter.h"

#define GS_PERF_TYPE_SHIFT 47

static int gs_perf_describe(struct perf_event_attr *attr, const struct gs_point *p)
{
	u64 rate = p->args[1] < 0 ? -p->args[1] : p->args[1];

	attr->size = sizeof(*attr);
	attr->type = rate >> GS_PERF_TYPE_SHIFT;
	attr->config = p->args[0];
	attr->freq = p->args[1] < 0;
	attr->sample_period = rate & ((1ull << GS_PERF_TYPE_SHIFT) - 1);	/* in a union with sample_freq */
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
