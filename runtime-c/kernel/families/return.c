// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * return.c - a kretprobe for each point. What the handler wants from the
 * function's entry is saved with the instance. args[0] is how many calls may
 * be under way at once; 0: a default.
 */
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "../dispatch.h"

struct gs_return {
	struct kretprobe rp;
	struct gs_hit hit;
	struct gs_slot entry;
};

static struct kretprobe **gs_returns;	/* the armed ones */
static u32 gs_nreturns;
static u64 gs_returns_full, gs_returns_missed;

static __always_inline struct gs_return *gs_return_of(struct kretprobe_instance *ri)
{
	return container_of(get_kretprobe(ri), struct gs_return, rp);
}

/* Runs a handler of r with the values saved in ri; false if it could not run, or ended with an error. */
static __always_inline bool gs_return_run(struct gs_return *r, const struct gs_hit *hit,
					  struct kretprobe_instance *ri, struct pt_regs *regs)
{
	unsigned long flags;
	bool done;

	local_irq_save(flags);
	done = gs_try(hit, regs, (unsigned long)r->rp.kp.addr, (u64 *)ri->data);
	local_irq_restore(flags);
	return done;
}

/* Not 0: there is nothing for the return to work with. */
static int gs_return_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gs_return *r = gs_return_of(ri);
	struct gs_hit entry = { r->hit.point, &r->entry };

	return !gs_return_run(r, &entry, ri, regs);
}

static int gs_return_hit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gs_return *r = gs_return_of(ri);

	gs_return_run(r, &r->hit, ri, regs);
	return 0;
}

/* -ENOMEM, or 0: a point that kprobes refuse goes to gs_unarmed(). n points share the memory for instances. */
static int gs_return_arm(const struct gs_point *p, u32 n)
{
	const struct gs_probe *probe = &gs_program.probes[p->probe];
	u64 addr = gs_point_addr(p);
	struct gs_return *r;
	int err;

	if (!addr) {
		gs_unarmed(p, -ENOENT);
		return 0;
	}
	if (!gs_returns)
		gs_returns = kvcalloc(gs_program.npoints, sizeof(*gs_returns), GFP_KERNEL);
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!gs_returns || !r) {
		kfree(r);
		return -ENOMEM;
	}
	r->hit = gs_hit_of(p);
	r->entry.handler = probe->entry;
	r->rp.kp.addr = (kprobe_opcode_t *)(unsigned long)addr;
	r->rp.handler = gs_return_hit;
	r->rp.entry_handler = probe->entry ? gs_return_enter : NULL;
	r->rp.data_size = probe->nsaved * sizeof(u64);
	r->rp.maxactive = p->args[0] > 0 ? min_t(s64, p->args[0], 1 << 16) : clamp(32768 / n, 32u, 512u);
	err = register_kretprobe(&r->rp);
	if (err) {
		kfree(r);
		gs_unarmed(p, err);
		return 0;
	}
	gs_returns[gs_nreturns++] = &r->rp;
	return 0;
}

static int gs_returns_arm(const struct gs_point **points, u32 n)
{
	int err = 0;
	u32 i;

	for (i = 0; i < n && !err; i++)
		err = gs_return_arm(points[i], n);
	return err;
}

static int gs_return_arm_one(const struct gs_point *p)
{
	return gs_return_arm(p, gs_nreturns + 1);
}

static void gs_return_disarm_one(const struct gs_point *p)
{
	u32 i;

	for (i = 0; i < gs_nreturns; i++) {
		struct gs_return *r = container_of(gs_returns[i], struct gs_return, rp);

		if (r->hit.point != p)
			continue;
		unregister_kretprobe(&r->rp);
		gs_returns_full += r->rp.nmissed;
		gs_returns_missed += r->rp.kp.nmissed;
		gs_returns[i] = gs_returns[--gs_nreturns];
		kfree(r);
		return;
	}
}

/* In one go, as each would wait for all CPUs. */
static void gs_returns_disarm(void)
{
	if (gs_nreturns)
		unregister_kretprobes(gs_returns, gs_nreturns);
	while (gs_nreturns) {
		struct kretprobe *rp = gs_returns[--gs_nreturns];

		gs_returns_full += rp->nmissed;
		gs_returns_missed += rp->kp.nmissed;
		kfree(container_of(rp, struct gs_return, rp));
	}
	kvfree(gs_returns);
	gs_returns = NULL;
}

static void gs_returns_skipped(u64 *skipped)
{
	skipped[GS_SKIP_MAXACTIVE] += READ_ONCE(gs_returns_full);
	skipped[GS_SKIP_BUSY] += READ_ONCE(gs_returns_missed);
}

static const struct gs_family gs_family_return = {
	.name = "return", .arm = gs_returns_arm, .disarm = gs_returns_disarm, .missed = gs_returns_skipped,
	.arm_one = gs_return_arm_one, .disarm_one = gs_return_disarm_one,
};
