/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dispatch.h - the fast path from a hit to its handler, inline; the slow path
 * is in dispatch.c.
 */
#ifndef GS_DISPATCH_H
#define GS_DISPATCH_H

#include <linux/sched/task_stack.h>
#include <linux/thread_info.h>

#include "internal.h"

/*
 * A context's busy holds two values, so that a hit needs a single test. It is
 * negative while a handler owns the context. Otherwise the context is free, and
 * busy counts down with each handler to GS_DUE, when overload.c times one.
 * Taking and leaving are a single addition each, so an NMI between them does no
 * harm: at worst the count passes GS_DUE and goes on below it.
 */
#define GS_DUE 0x40000000
#define GS_TAKE 0x80000000u
#define GS_LEAVE 0x7fffffffu	/* undoes taking, and counts down by 1 */

/* busy is read on this CPU only: by NMIs, and by probes on functions that the handler calls. */
static __always_inline void gs_take(struct gs_ctx *c)
{
	/* A separate instruction, which the compiler must not merge with the test before it. */
	barrier();
	c->busy += GS_TAKE;
	barrier();
}

static __always_inline void gs_leave(struct gs_ctx *c)
{
	barrier();
	c->busy += GS_LEAVE;
}

/**
 * gs_call() - runs a handler in a context that is taken
 * @c: this CPU's, taken by gs_try_take()
 * @hit: the point that was hit
 * @slot: the slot whose handler runs; it may be another than the hit's
 * @regs: the registers for the handler; NULL if there are none
 * @ip: the address that was hit; 0 if there is none
 * @saved: the values that the handler reads, or saves; NULL: none
 *
 * Context: Any, NMIs too, with interrupts off. Never sleeps.
 * Return: false if the handler ended with an error.
 */
static __always_inline bool gs_call(struct gs_ctx *c, const struct gs_hit *hit, const struct gs_slot *slot,
				    struct pt_regs *regs, u64 ip, u64 *saved)
{
	c->point = hit->point;
	c->regs = (struct gs_regs *)regs;
	c->ip = ip;
	c->time = 0;
	if (saved)
		c->saved = saved;
	slot->handler(c);
	if (likely(!c->error))
		return true;
	gs_report(c);
	return false;
}

/* gs_call() in a context that is free. */
static __always_inline bool gs_handle(struct gs_ctx *c, const struct gs_hit *hit, const struct gs_slot *slot,
				      struct pt_regs *regs, u64 ip, u64 *saved)
{
	bool done;

	gs_take(c);
	done = gs_call(c, hit, slot, regs, ip, saved);
	gs_leave(c);
	return done;
}

/* False if this is a task's stack with enough left. True takes the slow check, gs_may_take(). */
static __always_inline bool gs_stack_may_be_low(const struct gs_slot *slot)
{
	return current_stack_pointer - (unsigned long)task_stack_page(current) - slot->stack_floor >= slot->stack_span;
}

/**
 * gs_try_take() - takes this CPU's context for more than one gs_call(), until gs_leave()
 * @c: the context
 * @slot: the slot of the handler that needs most stack
 *
 * Context: Any, NMIs too, with interrupts off, as long as the context is taken.
 * Return: false if the session doesn't run, or if the hit has been counted as skipped.
 */
static __always_inline bool gs_try_take(struct gs_ctx *c, const struct gs_slot *slot)
{
	barrier();
	if (unlikely(gs_state != GS_STATE_RUNNING))
		return false;
	if (unlikely((s32)c->busy < 0 || gs_stack_may_be_low(slot)) && !gs_may_take(c, slot))
		return false;
	gs_take(c);
	return true;
}

/**
 * gs_try() - handles a hit, with interrupts off
 * @hit: the point that was hit, and its slot
 * @regs: as for gs_call()
 * @ip: as for gs_call()
 * @saved: as for gs_call()
 *
 * Context: Any, NMIs too, with interrupts off. Never sleeps.
 * Return: false if the handler could not run, which is counted, or ended with an error.
 */
static __always_inline bool gs_try(const struct gs_hit *hit, struct pt_regs *regs, u64 ip, u64 *saved)
{
	struct gs_ctx *c = &this_cpu_ptr(gs_cpus)->ctx;
	const struct gs_slot *slot = hit->slot;	/* read once: after barriers the compiler would read it again */

	/* Not READ_ONCE(): the compiler turns plain reads into comparisons with memory. */
	barrier();
	if (unlikely(gs_state != GS_STATE_RUNNING))
		return false;
	if (unlikely((s32)c->busy <= GS_DUE || gs_stack_may_be_low(slot)))
		return gs_handle_seldom(ip, c, hit, regs, saved);
	return gs_handle(c, hit, slot, regs, ip, saved);
}

/**
 * gs_run() - handles a hit: gs_try() with interrupts switched off
 * @hit: the point that was hit, and its slot
 * @regs: as for gs_call()
 * @ip: as for gs_call()
 * @native: whether interrupts may be switched off by the instruction itself: as for gs_irq_save()
 *
 * Context: Any, NMIs too. Never sleeps.
 */
static __always_inline void gs_run(const struct gs_hit *hit, struct pt_regs *regs, u64 ip, bool native)
{
	unsigned long flags = gs_irq_save(native);

	gs_try(hit, regs, ip, NULL);
	gs_irq_restore(flags, native);
}

#endif
