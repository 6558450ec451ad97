/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter.h - points at which perf's events come: a struct perf_event of every
 * CPU for each point, or of tasks (families/perftask.c).
 */
#ifndef GS_COUNTER_H
#define GS_COUNTER_H

#include <linux/list.h>
#include <linux/perf_event.h>

#include "internal.h"

struct gs_counter;

/* A family's. All of it is for tasks that may sleep, and that hold gs_session_mutex. */
struct gs_counters {
	/* Says in attr, which is zeroed, what to count. 0, or -errno: the point goes to gs_unarmed(). */
	int (*describe)(struct perf_event_attr *attr, const struct gs_point *p);
	struct gs_counter *all;
	u32 n;
	struct hlist_node node;		/* of the hotplug state's instances */
	bool late;			/* what fails now concerns a CPU that comes later */
};

void gs_perf_attr(struct perf_event_attr *attr, const struct gs_point *p);
int gs_counters_arm(struct gs_counters *counters, const struct gs_point **points, u32 n);
void gs_counters_update(struct gs_counters *counters);
void gs_counters_disarm(struct gs_counters *counters);

#endif
