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

/*
 * Counts that this hit is its event's last before the clock's next tick: perf then stops one that comes more often than
 * kernel.perf_event_max_sample_rate allows, by MAX_INTERRUPTS of kernel/events/core.c.
 */
static inline void gs_perf_note_throttling(const struct perf_event *event, atomic_t *throttled)
{
	if (unlikely(event->hw.interrupts == ~0ull))
		atomic_inc(throttled);
}

void gs_perf_say_throttled(const struct gs_point *p, atomic_t *throttled);
void gs_perf_attr(struct perf_event_attr *attr, const struct gs_point *p);
int gs_counters_arm(struct gs_counters *counters, const struct gs_point **points, u32 n);
void gs_counters_update(struct gs_counters *counters);
void gs_counters_disarm(struct gs_counters *counters);

#endif
