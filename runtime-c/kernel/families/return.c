// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * return.c - function return. What finds its way to a return is the kernel's
 * kretprobe. One serves a whole group of functions: it is registered, but never
 * armed; ftrace calls us at each function's entry, and we have the kretprobe's
 * own handler hook the return, as kprobes would from an armed one. It asks of
 * the registers the stack pointer only, which ftrace always saves. That the
 * handler is the kprobe's pre_handler is nothing that kretprobes promise: in a
 * kernel where it is not there, as for functions without ftrace site, each
 * point has an armed kretprobe.
 *
 * args[0] is how many calls of a function may be under way at once; 0: a default.
 */
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../group.h"

/* A handler at a return. */
struct gs_return_hit {
	struct gs_hit hit;
	struct gs_slot entry;		/* fills what is saved; handler is NULL if nothing is */
	u32 at;				/* in the instance's data: has entry done its work? Behind it, what it saved */
};

struct gs_return {
	struct kretprobe rp;
	const struct gs_slot *deepest;	/* of the hits' entries: what it wants of the stack suffices for all */
	u32 nhits;
	struct gs_return_hit hits[];
};

#define GS_MAX_INSTANCES (1 << 16)

static struct kretprobe **gs_returns;	/* the registered ones */
static u32 gs_nreturns, gs_nreturns_armed;	/* those that are armed by themselves come first */
static u64 gs_returns_full, gs_returns_missed;

static __always_inline struct gs_return *gs_return_of(struct kretprobe_instance *ri)
{
	return container_of(get_kretprobe(ri), struct gs_return, rp);
}

/*
 * At the entry, with the context taken: the instance's data is the probed
 * address and what the handlers want. Not 0: there is nothing for them to work with.
 */
static int gs_return_save(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gs_ctx *c = &this_cpu_ptr(gs_cpus)->ctx;
	struct gs_return *r = gs_return_of(ri);
	u64 *data = (u64 *)ri->data;
	bool any = false;
	u32 i;

	data[0] = regs->ip;
	for (i = 0; i < r->nhits; i++) {
		struct gs_return_hit *h = &r->hits[i];
		struct gs_hit entry = { h->hit.point, &h->entry };

		if (h->entry.handler && !(data[h->at] = gs_call(c, &entry, entry.slot, regs, regs->ip, &data[h->at + 1])))
			continue;
		any = true;
	}
	return !any;
}

/* The entry of a function whose kretprobe is armed. */
static int gs_return_save_alone(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct gs_return *r = gs_return_of(ri);
	struct gs_ctx *c = &this_cpu_ptr(gs_cpus)->ctx;
	unsigned long flags;
	int err = 1;

	local_irq_save(flags);
	if (gs_try_take(c, r->deepest)) {
		err = gs_return_save(ri, regs);
		gs_leave(c);
	}
	local_irq_restore(flags);
	return err;
}

/* Handlers of the entry itself run first: they find the address that the function returns to. */
static __always_inline void gs_return_enter(unsigned long ip, struct ftrace_ops *ops, struct ftrace_regs *fregs,
					    bool native)
{
	const struct gs_group *g = container_of(ops, struct gs_group, ops), *rider = READ_ONCE(g->rider);
	struct gs_return *r = g->own;
	unsigned long flags = gs_irq_save(native);
	struct gs_ctx *c = &this_cpu_ptr(gs_cpus)->ctx;
	u32 i;

	if (rider)
		for (i = 0; i < rider->nhits; i++)
			gs_try(&rider->hits[i], gs_ftrace_regs(fregs), ip, NULL);
	if (gs_try_take(c, r->deepest)) {
		r->rp.kp.pre_handler(&r->rp.kp, gs_ftrace_regs(fregs));
		gs_leave(c);
	}
	gs_irq_restore(flags, native);
}

static void gs_return_entered(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	gs_return_enter(ip, ops, fregs, true);
}

static void gs_return_entered_xen(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
				  struct ftrace_regs *fregs)
{
	gs_return_enter(ip, ops, fregs, false);
}

/* One handler at one function's return, with nothing saved. */
static int gs_return_hit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gs_return *r = gs_return_of(ri);
	unsigned long flags;

	gs_at_return(ri, regs);
	local_irq_save(flags);
	gs_try(&r->hits[0].hit, regs, (unsigned long)r->rp.kp.addr, NULL);
	local_irq_restore(flags);
	return 0;
}

static int gs_return_hits(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gs_return *r = gs_return_of(ri);
	u64 *data = (u64 *)ri->data;
	unsigned long flags;
	u32 i;

	gs_at_return(ri, regs);
	local_irq_save(flags);
	for (i = 0; i < r->nhits; i++) {
		struct gs_return_hit *h = &r->hits[i];

		if (!h->entry.handler || data[h->at])
			gs_try(&h->hit, regs, data[0], &data[h->at + 1]);
	}
	local_irq_restore(flags);
	return 0;
}

/* How many calls of one of n functions may be under way: as the script says, else what memory allows. */
static int gs_instances(const struct gs_hit *hits, u32 nhits, u32 n)
{
	s64 most = 0;
	u32 i;

	for (i = 0; i < nhits; i++)
		most = max(most, hits[i].point->args[0]);
	if (!most)
		return min(512 + 16 * (n - 1), 16384u);
	return min_t(u64, most * n, GS_MAX_INSTANCES);
}

static struct gs_return *gs_make_return(const struct gs_hit *hits, u32 nhits, u32 nsites)
{
	struct gs_return *r = kzalloc(struct_size(r, hits, nhits), GFP_KERNEL);
	u32 i, at = 1;

	if (!r)
		return NULL;
	r->nhits = nhits;
	for (i = 0; i < nhits; i++) {
		const struct gs_probe *probe = &gs_program.probes[hits[i].point->probe];

		r->hits[i] = (struct gs_return_hit){ .hit = hits[i], .at = at };
		gs_init_slot(&r->hits[i].entry, hits[i].point->probe, probe->entry);
		if (!i || r->hits[i].entry.stack_floor > r->deepest->stack_floor)
			r->deepest = &r->hits[i].entry;
		at += 1 + probe->nsaved;
	}
	r->rp.handler = gs_return_hits;
	r->rp.entry_handler = gs_return_save;
	r->rp.data_size = at * sizeof(u64);
	if (nhits == 1 && nsites == 1 && !r->hits[0].entry.handler) {
		r->rp.handler = gs_return_hit;
		r->rp.entry_handler = NULL;
		r->rp.data_size = 0;
	}
	r->rp.maxactive = gs_instances(hits, nhits, nsites);
	return r;
}

static int gs_register_return(struct gs_return *r, u64 addr)
{
	int err;

	r->rp.kp.addr = (kprobe_opcode_t *)(unsigned long)addr;
	err = register_kretprobe(&r->rp);
	if (!err)
		gs_returns[gs_nreturns++] = &r->rp;
	return err;
}

/* Any function of the group that kretprobes take is as good as another. */
static int gs_return_make(struct gs_group *g)
{
	struct gs_return *r = gs_make_return(g->hits, g->nhits, g->nsites);
	int err = -EINVAL;
	u32 i;

	if (!r)
		return -ENOMEM;
	r->rp.kp.flags = KPROBE_FLAG_DISABLED;
	for (i = 0; i < g->nsites && err && err != -ENOMEM; i++)
		err = gs_register_return(r, g->sites[i].addr);
	if (!err && !r->rp.kp.pre_handler) {
		unregister_kretprobe(&r->rp);
		gs_nreturns--;
		err = -EOPNOTSUPP;
	}
	if (err) {
		kfree(r);
		return err;
	}
	g->own = r;
	g->ops.func = gs_native() ? gs_return_entered : gs_return_entered_xen;
	return 0;
}

/* -ENOMEM, or 0: a point that kprobes refuse goes to gs_unarmed(). */
static int gs_return_alone(const struct gs_point *p, u32 n)
{
	struct gs_hit hit = gs_hit_of(p);
	struct gs_return *r = gs_make_return(&hit, 1, 1);
	int err;

	if (!r)
		return -ENOMEM;
	if (r->rp.entry_handler)
		r->rp.entry_handler = gs_return_save_alone;
	/* n points share the memory for instances. */
	if (p->args[0] <= 0)
		r->rp.maxactive = clamp(32768 / n, 32u, 512u);
	r->rp.kp.flags = KPROBE_FLAG_DISABLED;
	err = gs_register_return(r, gs_point_addr(p));
	if (!err) {
		err = gs_kprobe_start(&r->rp.kp, &hit);
		if (err) {
			unregister_kretprobe(&r->rp);
			gs_nreturns--;
		}
	}
	if (!err) {
		swap(gs_returns[gs_nreturns - 1], gs_returns[gs_nreturns_armed]);
		gs_nreturns_armed++;
		return 0;
	}
	kfree(r);
	if (err == -ENOMEM)
		return err;
	gs_unarmed(p, err);
	return 0;
}

/*
 * What kretprobes call with a lock held that hooking a return takes: they notice
 * only where a kretprobe is hit in the ordinary way.
 */
static bool gs_return_excludes(u64 addr)
{
	return !GS_KRETPROBES_LOCKLESS && in_lock_functions(addr);
}

static struct gs_groups gs_return_groups = {
	.make = gs_return_make, .alone = gs_return_alone, .excludes = gs_return_excludes, .hosts = true,
	.list = LIST_HEAD_INIT(gs_return_groups.list),
};

static int gs_returns_arm(const struct gs_point **points, u32 n)
{
	/* A group has one, a point alone another. */
	gs_returns = kvcalloc(2 * n, sizeof(*gs_returns), GFP_KERNEL);
	return gs_returns ? gs_groups_arm(&gs_return_groups, points, n) : -ENOMEM;
}

static void gs_returns_update(void)
{
	u32 i;

	gs_groups_update(&gs_return_groups);
	for (i = 0; i < gs_nreturns_armed; i++)
		gs_kprobe_update(&gs_returns[i]->kp, &container_of(gs_returns[i], struct gs_return, rp)->hits[0].hit);
}

/* In one go, as each would wait for all CPUs. */
static void gs_returns_disarm(void)
{
	gs_groups_disarm(&gs_return_groups);
	if (gs_nreturns)
		unregister_kretprobes(gs_returns, gs_nreturns);
	while (gs_nreturns) {
		struct kretprobe *rp = gs_returns[--gs_nreturns];

		gs_returns_full += rp->nmissed;
		gs_returns_missed += rp->kp.nmissed;
		kfree(container_of(rp, struct gs_return, rp));
	}
	gs_groups_free(&gs_return_groups);
	kvfree(gs_returns);
	gs_returns = NULL;
}

static void gs_returns_skipped(u64 *skipped)
{
	skipped[GS_SKIP_MAXACTIVE] += READ_ONCE(gs_returns_full);
	skipped[GS_SKIP_BUSY] += READ_ONCE(gs_returns_missed);
}

static const struct gs_family gs_family_return = {
	.name = "return", .flags = GS_FAMILY_RETURN, .arm = gs_returns_arm, .update = gs_returns_update, .disarm = gs_returns_disarm,
	.missed = gs_returns_skipped,
};
