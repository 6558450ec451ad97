// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe.c - a kprobe for each point: instructions, and functions without an
 * ftrace site.
 */
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "../dispatch.h"

struct gs_kprobe {
	struct kprobe kp;
	struct gs_hit hit;
};

static struct kprobe **gs_kprobes;	/* the armed ones */
static u32 gs_nkprobes;
static u64 gs_kprobes_missed;		/* of those that have been unregistered */

static int gs_kprobe_hit(struct kprobe *kp, struct pt_regs *regs)
{
	struct gs_kprobe *k = container_of(kp, struct gs_kprobe, kp);

	gs_run(&k->hit, regs, (unsigned long)kp->addr, false);
	return 0;
}

/**
 * gs_kprobe_start() - arms a kprobe that has been registered disabled, if its condition holds
 * @kp: the kprobe
 * @hit: its point and slot
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 * Return: 0, or -errno: the caller must unregister it.
 */
int gs_kprobe_start(struct kprobe *kp, const struct gs_hit *hit)
{
	int err = gs_kprobe_registered(kp);

	return err || !gs_wanted(hit->slot) ? err : enable_kprobe(kp);
}

/**
 * gs_kprobe_arm() - arms a kprobe at a point of any family
 * @p: the point; if the kernel refuses it, gs_unarmed() is called
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 * Return: 0, or -ENOMEM.
 */
int gs_kprobe_arm(const struct gs_point *p)
{
	u64 addr = gs_point_addr(p);
	struct gs_kprobe *k;
	int err;

	lockdep_assert_held(&gs_session_mutex);
	if (!addr) {
		gs_unarmed(p, -ENOENT);
		return 0;
	}
	if (!gs_kprobes)
		gs_kprobes = kvcalloc(gs_program.npoints, sizeof(*gs_kprobes), GFP_KERNEL);
	k = kzalloc(sizeof(*k), GFP_KERNEL);
	if (!gs_kprobes || !k) {
		kfree(k);
		return -ENOMEM;
	}
	k->hit = gs_hit_of(p);
	k->kp.addr = (kprobe_opcode_t *)(unsigned long)addr;
	k->kp.pre_handler = gs_kprobe_hit;
	k->kp.flags = KPROBE_FLAG_DISABLED;
	err = register_kprobe(&k->kp);
	if (!err) {
		err = gs_kprobe_start(&k->kp, &k->hit);
		if (err)
			unregister_kprobe(&k->kp);
	}
	if (err) {
		kfree(k);
		gs_unarmed(p, err);
		return 0;
	}
	gs_kprobes[gs_nkprobes++] = &k->kp;
	return 0;
}

static int gs_kprobes_arm(const struct gs_point **points, u32 n)
{
	int err = 0;
	u32 i;

	for (i = 0; i < n && !err; i++)
		err = gs_kprobe_arm(points[i]);
	return err;
}

/**
 * gs_kprobe_update() - arms or disarms a kprobe, by its condition
 * @kp: the kprobe
 * @hit: its point and slot
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_kprobe_update(struct kprobe *kp, const struct gs_hit *hit)
{
	bool wanted = gs_wanted(hit->slot), armed = !(kp->flags & KPROBE_FLAG_DISABLED);
	int err = 0;

	lockdep_assert_held(&gs_session_mutex);
	if (wanted && !armed)
		err = enable_kprobe(kp);
	else if (!wanted && armed)
		err = disable_kprobe(kp);
	if (err)
		gs_unarmed(hit->point, err);
}

static void gs_kprobes_update(void)
{
	u32 i;

	for (i = 0; i < gs_nkprobes; i++)
		gs_kprobe_update(gs_kprobes[i], &container_of(gs_kprobes[i], struct gs_kprobe, kp)->hit);
}

/* Disarms all but the first n at once, as each call waits for all CPUs. */
static void gs_disarm_kprobes(u32 n)
{
	if (gs_nkprobes > n)
		unregister_kprobes(gs_kprobes + n, gs_nkprobes - n);
	while (gs_nkprobes > n) {
		struct kprobe *kp = gs_kprobes[--gs_nkprobes];

		gs_kprobes_missed += kp->nmissed;
		kfree(container_of(kp, struct gs_kprobe, kp));
	}
}

static void gs_kprobes_disarm_module(u32 image)
{
	u32 i = 0, n = gs_nkprobes;

	while (i < n)
		if (container_of(gs_kprobes[i], struct gs_kprobe, kp)->hit.point->image == image) {
			n--;
			swap(gs_kprobes[i], gs_kprobes[n]);
		} else {
			i++;
		}
	gs_disarm_kprobes(n);
}

static void gs_kprobes_disarm(void)
{
	gs_disarm_kprobes(0);
	kvfree(gs_kprobes);
	gs_kprobes = NULL;
}

static void gs_kprobes_skipped(u64 *skipped)
{
	skipped[GS_SKIP_BUSY] += READ_ONCE(gs_kprobes_missed);
}

static const struct gs_family gs_family_kprobe = {
	.name = "kprobe", .arm = gs_kprobes_arm, .update = gs_kprobes_update, .disarm = gs_kprobes_disarm,
	.missed = gs_kprobes_skipped, .disarm_module = gs_kprobes_disarm_module,
};
