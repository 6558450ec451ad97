// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timer.c - timer probes: args[0] is the period in ns, args[1] its random
 * deviation. They are high-resolution timers whose handlers run in the interrupt,
 * also under PREEMPT_RT.
 */
#include <linux/hrtimer.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "../dispatch.h"

/* The shortest period: with shorter ones the CPU would do nothing else. */
#define GS_TIMER_MIN_NS (100 * NSEC_PER_USEC)

struct gs_timer {
	struct hrtimer timer;
	struct gs_hit hit;
	u64 random;
	bool armed;
};

static struct gs_timer *gs_timers;
static u32 gs_ntimers;

/* SplitMix64: the kernel's generators take locks, which sleep under PREEMPT_RT. */
static u64 gs_timer_random(struct gs_timer *t)
{
	u64 x = t->random += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static ktime_t gs_timer_period(struct gs_timer *t)
{
	const struct gs_point *p = t->hit.point;
	s64 ns = p->args[0];

	if (p->args[1] > 0)
		ns += (s64)(gs_timer_random(t) % (2 * (u64)p->args[1] + 1)) - p->args[1];
	return ns_to_ktime(max_t(s64, ns, GS_TIMER_MIN_NS));
}

static enum hrtimer_restart gs_timer_fire(struct hrtimer *timer)
{
	struct gs_timer *t = container_of(timer, struct gs_timer, timer);

	gs_run(&t->hit, NULL, 0, false);
	hrtimer_forward_now(timer, gs_timer_period(t));
	return HRTIMER_RESTART;
}

/* Arms or disarms a timer, by its condition. */
static void gs_timer_update(struct gs_timer *t)
{
	bool wanted = gs_wanted(t->hit.slot);

	if (wanted && !t->armed)
		hrtimer_start(&t->timer, gs_timer_period(t), HRTIMER_MODE_REL_HARD);
	else if (!wanted && t->armed)
		hrtimer_cancel(&t->timer);
	t->armed = wanted;
}

static int gs_timers_arm(const struct gs_point **points, u32 n)
{
	gs_timers = kvcalloc(n, sizeof(*gs_timers), GFP_KERNEL);
	if (!gs_timers)
		return -ENOMEM;
	for (; gs_ntimers < n; gs_ntimers++) {
		struct gs_timer *t = &gs_timers[gs_ntimers];

		t->hit = gs_hit_of(points[gs_ntimers]);
		t->random = get_random_u64();
		hrtimer_setup(&t->timer, gs_timer_fire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
		gs_timer_update(t);
	}
	return 0;
}

static void gs_timers_update(void)
{
	u32 i;

	for (i = 0; i < gs_ntimers; i++)
		gs_timer_update(&gs_timers[i]);
}

static void gs_timers_disarm(void)
{
	while (gs_ntimers)
		hrtimer_cancel(&gs_timers[--gs_ntimers].timer);
	kvfree(gs_timers);
	gs_timers = NULL;
}

static const struct gs_family gs_family_timer = {
	.name = "timer", .arm = gs_timers_arm, .update = gs_timers_update, .disarm = gs_timers_disarm,
};
