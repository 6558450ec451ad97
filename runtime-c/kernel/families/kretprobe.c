// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kretprobe.c - returns of modules' functions: a kretprobe for each point, which
 * is unregistered when its module is unloaded. Values of the function's entry are
 * saved with the instance. args[0] is the number of calls that may be active at
 * once; 0: a default.
 */
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "../dispatch.h"

struct gs_kretprobe {
	struct kretprobe rp;
	struct gs_hit hit;
	struct gs_slot entry;
};

static struct kretprobe **gs_kretprobes;	/* the armed ones */
static u32 gs_nkretprobes;
static u64 gs_kretprobes_full, gs_kretprobes_missed;

/* NULL while the kretprobe is unregistered, as in return.h. */
static __always_inline struct gs_kretprobe *gs_kretprobe_of(struct kretprobe_instance *ri)
{
	return container_of(get_kretprobe(ri), struct gs_kretprobe, rp);
}

/* Runs a handler of r with the values saved in ri; false if it could not run, or ended with an error. */
static __always_inline bool gs_kretprobe_run(struct gs_kretprobe *r, const struct gs_hit *hit,
					  struct kretprobe_instance *ri, struct pt_regs *regs)
{
	unsigned long flags;
	bool done;

	local_irq_save(flags);
	done = gs_try(hit, regs, (unsigned long)r->rp.kp.addr, (u64 *)ri->data);
	local_irq_restore(flags);
	return done;
}

/* Not 0: no handler is to run at the return. */
static int gs_kretprobe_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gs_kretprobe *r = gs_kretprobe_of(ri);
	struct gs_hit entry;

	if (!r)
		return 1;
	entry = (struct gs_hit){ r->hit.point, &r->entry };
	return !gs_kretprobe_run(r, &entry, ri, regs);
}

static int gs_kretprobe_hit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gs_kretprobe *r = gs_kretprobe_of(ri);

	if (!r)
		return 0;
	gs_at_return(ri, regs);
	gs_kretprobe_run(r, &r->hit, ri, regs);
	return 0;
}

/* 0 or -ENOMEM. If the kernel refuses the point, gs_unarmed() is called. n points share the memory for instances. */
static int gs_kretprobe_arm(const struct gs_point *p, u32 n)
{
	const struct gs_probe *probe = &gs_program.probes[p->probe];
	u64 addr = gs_point_addr(p);
	struct gs_kretprobe *r;
	int err;

	if (!addr) {
		gs_unarmed(p, -ENOENT);
		return 0;
	}
	if (!gs_kretprobes)
		gs_kretprobes = kvcalloc(gs_program.npoints, sizeof(*gs_kretprobes), GFP_KERNEL);
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!gs_kretprobes || !r) {
		kfree(r);
		return -ENOMEM;
	}
	r->hit = gs_hit_of(p);
	gs_init_slot(&r->entry, p->probe, probe->entry);
	r->rp.kp.addr = (kprobe_opcode_t *)(unsigned long)addr;
	r->rp.handler = gs_kretprobe_hit;
	r->rp.entry_handler = probe->entry ? gs_kretprobe_enter : NULL;
	r->rp.data_size = probe->nsaved * sizeof(u64);
	r->rp.kp.flags = KPROBE_FLAG_DISABLED;
	r->rp.maxactive = p->args[0] > 0 ? min_t(s64, p->args[0], 1 << 16) : clamp(32768 / n, 32u, 512u);
	err = register_kretprobe(&r->rp);
	if (!err) {
		err = gs_kprobe_start(&r->rp.kp, &r->hit);
		if (err)
			unregister_kretprobe(&r->rp);
	}
	if (err) {
		kfree(r);
		gs_unarmed(p, err);
		return 0;
	}
	gs_kretprobes[gs_nkretprobes++] = &r->rp;
	return 0;
}

static int gs_kretprobes_arm(const struct gs_point **points, u32 n)
{
	int err = 0;
	u32 i;

	for (i = 0; i < n && !err; i++)
		err = gs_kretprobe_arm(points[i], n);
	return err;
}

static void gs_kretprobes_update(void)
{
	u32 i;

	for (i = 0; i < gs_nkretprobes; i++)
		gs_kprobe_update(&gs_kretprobes[i]->kp, &container_of(gs_kretprobes[i], struct gs_kretprobe, rp)->hit);
}

static int gs_kretprobe_arm_one(const struct gs_point *p)
{
	return gs_kretprobe_arm(p, gs_nkretprobes + 1);
}

static void gs_kretprobe_disarm_one(const struct gs_point *p)
{
	u32 i;

	for (i = 0; i < gs_nkretprobes; i++) {
		struct gs_kretprobe *r = container_of(gs_kretprobes[i], struct gs_kretprobe, rp);

		if (r->hit.point != p)
			continue;
		unregister_kretprobe(&r->rp);
		gs_kretprobes_full += r->rp.nmissed;
		gs_kretprobes_missed += r->rp.kp.nmissed;
		gs_kretprobes[i] = gs_kretprobes[--gs_nkretprobes];
		kfree(r);
		return;
	}
}

/* All at once, as each call waits for all CPUs. */
static void gs_kretprobes_disarm(void)
{
	if (gs_nkretprobes)
		unregister_kretprobes(gs_kretprobes, gs_nkretprobes);
	while (gs_nkretprobes) {
		struct kretprobe *rp = gs_kretprobes[--gs_nkretprobes];

		gs_kretprobes_full += rp->nmissed;
		gs_kretprobes_missed += rp->kp.nmissed;
		kfree(container_of(rp, struct gs_kretprobe, rp));
	}
	kvfree(gs_kretprobes);
	gs_kretprobes = NULL;
}

static void gs_kretprobes_skipped(u64 *skipped)
{
	skipped[GS_SKIP_MAXACTIVE] += READ_ONCE(gs_kretprobes_full);
	skipped[GS_SKIP_BUSY] += READ_ONCE(gs_kretprobes_missed);
}

static const struct gs_family gs_family_kretprobe = {
	.name = "kretprobe", .flags = GS_FAMILY_RETURN, .arm = gs_kretprobes_arm, .update = gs_kretprobes_update, .disarm = gs_kretprobes_disarm,
	.missed = gs_kretprobes_skipped, .arm_one = gs_kretprobe_arm_one, .disarm_one = gs_kretprobe_disarm_one,
};
