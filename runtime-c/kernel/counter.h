/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter.h - points that are hit by perf events: for each point a struct
 * perf_event on every CPU, or in tasks (families/perftask.c).
 */
#ifndef GS_COUNTER_H
#define GS_COUNTER_H

#include <linux/list.h>
#include <linux/perf_event.h>

#include "internal.h"

struct gs_counter;

/* A family's counters. Its functions are called in tasks that may sleep and hold gs_session_mutex. */
struct gs_counters {
	/* Says in attr, which is zeroed, what to count. 0, or -errno: the point goes to gs_unarmed(). */
	int (*describe)(struct perf_event_attr *attr, const struct gs_point *p);
	struct gs_counter *all;
	u32 n;
	struct hlist_node node;		/* of the hotplug state's instances */
	bool late;			/* a failure from now on is that of a CPU that came online later */
};

void gs_perf_attr(struct perf_event_attr *attr, const struct gs_point *p);
int gs_counters_arm(struct gs_counters *counters, const struct gs_point **points, u32 n);
void gs_counters_update(struct gs_counters *counters);
void gs_counters_disarm(struct gs_counters *counters);

#endif
