// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile.c - timer.profile: a timer on every CPU, whose handlers have the
 * registers of the interrupted code. args[0] is the period in ns. The timer is
 * started and stopped with its CPU.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/slab.h>
#include <asm/irq_regs.h>

#include "../dispatch.h"

/* The timer of a CPU. */
struct gs_profile_timer {
	struct hrtimer timer;
	const struct gs_hit *hit;
};

struct gs_profile {
	struct gs_hit hit;
	struct gs_profile_timer __percpu *timers;
	bool armed;
};

static struct gs_profile *gs_profiles;
static u32 gs_nprofiles;
static int gs_profile_hotplug;		/* the hotplug state; 0: none */

static enum hrtimer_restart gs_profile_fire(struct hrtimer *timer)
{
	const struct gs_hit *hit = container_of(timer, struct gs_profile_timer, timer)->hit;

	gs_run(hit, get_irq_regs(), 0, false);
	hrtimer_forward_now(timer, ns_to_ktime(hit->point->args[0]));
	return HRTIMER_RESTART;
}

/* On this CPU, with migration impossible. */
static void gs_profile_start(void *profile)
{
	struct gs_profile *p = profile;

	hrtimer_start(&this_cpu_ptr(p->timers)->timer, ns_to_ktime(p->hit.point->args[0]),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Arms or disarms the timers, by their conditions. The CPU hotplug lock is held. */
static void gs_profile_update(struct gs_profile *p)
{
	bool wanted = gs_wanted(p->hit.slot);
	int cpu;

	if (wanted && !p->armed)
		on_each_cpu(gs_profile_start, p, 1);
	else if (!wanted && p->armed)
		for_each_online_cpu(cpu)
			hrtimer_cancel(&per_cpu_ptr(p->timers, cpu)->timer);
	p->armed = wanted;
}

static void gs_profiles_update(void)
{
	u32 i;

	cpus_read_lock();
	for (i = 0; i < gs_nprofiles; i++)
		gs_profile_update(&gs_profiles[i]);
	cpus_read_unlock();
}

/* Hotplug callbacks, which run on the CPU concerned. */
static int gs_profile_cpu_up(unsigned int cpu)
{
	unsigned long flags;
	u32 i;

	local_irq_save(flags);
	for (i = 0; i < gs_nprofiles; i++)
		if (gs_profiles[i].armed)
			gs_profile_start(&gs_profiles[i]);
	local_irq_restore(flags);
	return 0;
}

static int gs_profile_cpu_down(unsigned int cpu)
{
	u32 i;

	for (i = 0; i < gs_nprofiles; i++)
		hrtimer_cancel(&per_cpu_ptr(gs_profiles[i].timers, cpu)->timer);
	return 0;
}

static int gs_profiles_arm(const struct gs_point **points, u32 n)
{
	int cpu, state;

	gs_profiles = kvcalloc(n, sizeof(*gs_profiles), GFP_KERNEL);
	if (!gs_profiles)
		return -ENOMEM;
	for (; gs_nprofiles < n; gs_nprofiles++) {
		struct gs_profile *p = &gs_profiles[gs_nprofiles];

		p->hit = gs_hit_of(points[gs_nprofiles]);
		p->timers = alloc_percpu(struct gs_profile_timer);
		if (!p->timers)
			return -ENOMEM;
		for_each_possible_cpu(cpu) {
			struct gs_profile_timer *t = per_cpu_ptr(p->timers, cpu);

			t->hit = &p->hit;
			hrtimer_setup(&t->timer, gs_profile_fire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		}
	}
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "gostap:profile", gs_profile_cpu_up, gs_profile_cpu_down);
	if (state < 0)
		return state;
	gs_profile_hotplug = state;
	gs_profiles_update();
	return 0;
}

static void gs_profiles_disarm(void)
{
	if (gs_profile_hotplug)
		cpuhp_remove_state(gs_profile_hotplug);	/* stops the timers of all CPUs */
	gs_profile_hotplug = 0;
	while (gs_nprofiles)
		free_percpu(gs_profiles[--gs_nprofiles].timers);
	kvfree(gs_profiles);
	gs_profiles = NULL;
}

static const struct gs_family gs_family_profile = {
	.name = "profile", .arm = gs_profiles_arm, .update = gs_profiles_update, .disarm = gs_profiles_disarm,
};
