/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * return.h - hits of families/return.c: at a function's entry, values are saved
 * for the handlers; at its return, the handlers run.
 */
#ifndef GS_RETURN_H
#define GS_RETURN_H

#include <linux/kprobes.h>

#include "group.h"

/* A handler at a return. */
struct gs_return_hit {
	struct gs_hit hit;
	struct gs_slot entry;		/* saves values; its handler is NULL if there are none to save */
	u32 at;				/* offset in the instance's data: a word that is not 0 if entry has succeeded, then the saved values */
};

/* A kretprobe that hooks returns. */
struct gs_kretprobe {
	struct kretprobe rp;
	u32 image;			/* index into gs_program.images: what it hooks is in there */
	bool armed;			/* kprobes call it; else the group of functions does */
};

struct gs_return {
	struct gs_kretprobe own;	/* not registered if the pool is used */
	struct gs_kretprobe *hook;	/* own, or the pool of the image */
	struct list_head list;
	const struct gs_slot *deepest;	/* of the hits' entries, the one that needs most stack */
	u32 nhits;
	struct gs_return_hit hits[];
};

/* NULL while the kretprobe is unregistered, if kretprobes are not based on rethook: returns may be in flight then. */
static __always_inline struct gs_return *gs_return_of(struct kretprobe_instance *ri)
{
	return container_of(get_kretprobe(ri), struct gs_return, own.rp);
}

/*
 * At the entry, with the context taken: fills in the instance's data, the probed
 * address and the values for the handlers. Not 0: no handler is to run at the return.
 */
static __always_inline int gs_return_save_in(u64 *data, const struct gs_return *r, struct gs_ctx *c, struct pt_regs *regs)
{
	bool any = false;
	u32 i;

	data[0] = regs->ip;
	for (i = 0; i < r->nhits; i++) {
		const struct gs_return_hit *h = &r->hits[i];
		struct gs_hit entry = { h->hit.point, &h->entry };

		if (h->entry.handler && !(data[h->at] = gs_call(c, &entry, entry.slot, regs, regs->ip, &data[h->at + 1])))
			continue;
		any = true;
	}
	return !any;
}

static int gs_return_save(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct gs_return *r = gs_return_of(ri);
	struct gs_cpu *cpu = this_cpu_ptr(gs_cpus);

	cpu->entered = NULL;
	return !r || gs_return_save_in((u64 *)ri->data, r, &cpu->ctx, regs);
}

/* Instances of the pool begin with a pointer to their return. */
static int gs_return_save_pooled(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gs_cpu *cpu = this_cpu_ptr(gs_cpus);
	const struct gs_return *r = cpu->entered;
	u64 *data = (u64 *)ri->data;

	cpu->entered = NULL;
	data[0] = (unsigned long)r;
	return gs_return_save_in(data + 1, r, &cpu->ctx, regs);
}

/* The entry of a function whose kretprobe is armed. */
static int gs_return_save_alone(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct gs_return *r = gs_return_of(ri);
	struct gs_ctx *c = &this_cpu_ptr(gs_cpus)->ctx;
	unsigned long flags;
	int err = 1;

	local_irq_save(flags);
	if (r && gs_try_take(c, r->deepest)) {
		err = gs_return_save(ri, regs);
		gs_leave(c);
	}
	local_irq_restore(flags);
	return err;
}

/* Handlers of the entry itself run first: the return address is still on the stack. */
static __always_inline void gs_return_enter(unsigned long ip, struct ftrace_ops *ops, struct ftrace_regs *fregs,
					    bool native)
{
	const struct gs_group *g = container_of(ops, struct gs_group, ops), *rider = READ_ONCE(g->rider);
	struct gs_return *r = g->own;
	unsigned long flags = gs_irq_save(native);
	struct gs_cpu *cpu = this_cpu_ptr(gs_cpus);
	u32 i;

	if (rider)
		for (i = 0; i < rider->nhits; i++)
			gs_try(&rider->hits[i], gs_ftrace_regs(fregs), ip, NULL);
	if (gs_try_take(&cpu->ctx, r->deepest)) {
		struct kprobe *hook = &r->hook->rp.kp;
		const void *last = gs_last_hooked();

		cpu->entered = r;
		hook->pre_handler(hook, gs_ftrace_regs(fregs));
		/* The return was not hooked, and entry not called: there was no free instance. */
		if (unlikely(gs_last_hooked() == last) && cpu->entered && GS_SHOWS_HOOKED)
			this_cpu_inc(gs_cpus->skipped[GS_SKIP_MAXACTIVE]);
		gs_leave(&cpu->ctx);
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

/* The common case: one handler, and no saved values. */
static int gs_return_hit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gs_return *r = gs_return_of(ri);
	unsigned long flags;

	if (!r)
		return 0;
	gs_at_return(ri, regs);
	local_irq_save(flags);
	gs_try(&r->hits[0].hit, regs, (unsigned long)r->own.rp.kp.addr, NULL);
	local_irq_restore(flags);
	return 0;
}

static __always_inline int gs_return_hits_of(const struct gs_return *r, u64 *data, struct kretprobe_instance *ri,
					     struct pt_regs *regs)
{
	unsigned long flags;
	u32 i;

	gs_at_return(ri, regs);
	local_irq_save(flags);
	for (i = 0; i < r->nhits; i++) {
		const struct gs_return_hit *h = &r->hits[i];

		if (!h->entry.handler || data[h->at])
			gs_try(&h->hit, regs, data[0], &data[h->at + 1]);
	}
	local_irq_restore(flags);
	return 0;
}

static int gs_return_hits(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct gs_return *r = gs_return_of(ri);

	return r ? gs_return_hits_of(r, (u64 *)ri->data, ri, regs) : 0;
}

static int gs_return_hits_pooled(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	u64 *data = (u64 *)ri->data;

	return gs_return_hits_of((const struct gs_return *)(unsigned long)data[0], data + 1, ri, regs);
}

#endif
