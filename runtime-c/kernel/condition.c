// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * condition.c - probes with "if (cond)". While its condition is false, a
 * probe's slot holds a handler that does nothing, and a moment later the probe
 * is disarmed, so that nobody pays for it; when it turns true, the same in
 * reverse. A handler that writes what a condition reads asks them all again
 * behind its end; what goes wrong in one counts as false.
 *
 * Of several CPUs that ask at once one does, and asks again for the others:
 * what it finds last is what the last change has made of the globals. Where it
 * finds no end, or can't have a global in time, or the stack, the slots stay as
 * they are, and the work item asks.
 *
 * Handlers can't arm and disarm: they ask for a work item, which does it at
 * most once in GS_UPDATE_MS, however often they change.
 */
#include <linux/jiffies.h>

#include "dispatch.h"

#define GS_UPDATE_MS 100
#define GS_ASK_ROUNDS 4

static atomic_t gs_asks = ATOMIC_INIT(0);	/* for the conditions, since whoever asks them has begun; who makes it 1 asks */
static bool gs_asks_left;			/* to the work item, which now is the one who asks */
static atomic_t gs_update_asked = ATOMIC_INIT(0);	/* and not begun: asking may itself be what changes a condition */
static struct gs_later gs_update_later;
static void (*gs_update_probes)(void);

/**
 * gs_want_update() - has probes armed and disarmed anew in a moment
 *
 * Context: Any, NMIs too, while a session runs or is about to.
 */
void gs_want_update(void)
{
	if (!atomic_xchg(&gs_update_asked, 1))
		gs_later(&gs_update_later);
}

static void gs_handle_nothing(struct gs_ctx *c)
{
}

static void gs_handle_and_ask(struct gs_ctx *c);

/* 1, 0, or -1 if it can't be told here: a global could not be had, or there is too little stack. */
static int gs_holds(struct gs_ctx *c, const struct gs_probe *probe, const struct gs_slot *slot)
{
	u32 nesting = c->nesting;
	int holds = 1;

	if (!probe->cond)
		return holds;
	if (gs_stack_left() < slot->stack_floor)
		return slot->stack_floor < THREAD_SIZE ? -1 : 0;
	c->point = slot->point;
	holds = probe->cond(c);
	if (c->error)
		holds = 0;
	c->error = NULL;
	c->error_near = NULL;
	c->nesting = nesting;
	return holds;
}

/* Asks one probe's condition; false if it could not. */
static bool gs_ask(struct gs_ctx *c, u32 i, bool *changed)
{
	const struct gs_probe *probe = &gs_program.probes[i];
	struct gs_slot *slot = &gs_slots[i];
	int holds = gs_holds(c, probe, slot);

	if (holds < 0)
		return false;
	WRITE_ONCE(slot->handler, !holds ? gs_handle_nothing :
				  probe->flags & GS_PROBE_CONDS ? gs_handle_and_ask : probe->handler);
	if (slot->off == holds) {
		WRITE_ONCE(slot->off, !holds);
		*changed = true;
	}
	return true;
}

/* Asks all until nobody has asked meanwhile; false if that doesn't come about. */
static bool gs_ask_all(struct gs_ctx *c)
{
	bool changed = false, done = false;
	int round, seen;
	u32 i;

	for (round = 0; round < GS_ASK_ROUNDS && !done; round++) {
		/* A full barrier: what those who asked until here have written is seen. */
		seen = atomic_add_return(0, &gs_asks);
		for (i = 0; i < gs_program.nprobes; i++)
			if (!gs_ask(c, i, &changed))
				goto out;
		done = atomic_cmpxchg(&gs_asks, seen, 0) == seen;
	}
out:
	if (changed || !done)
		gs_want_update();
	return done;
}

/* As whoever asks, in a context that is taken, for no point of its own. */
static bool gs_ask_conditions(struct gs_ctx *c)
{
	const char *error = c->error, *near = c->error_near;
	const struct gs_point *point = c->point;
	struct gs_regs *regs = c->regs;
	u64 ip = c->ip;
	bool done;

	c->error = NULL;
	c->regs = NULL;
	c->ip = 0;
	c->asking = 1;
	done = gs_ask_all(c);
	c->asking = 0;
	c->error = error;
	c->error_near = near;
	c->point = point;
	c->regs = regs;
	c->ip = ip;
	return done;
}

static void gs_handle_and_ask(struct gs_ctx *c)
{
	gs_program.probes[c->point->probe].handler(c);
	/* What the handler has written comes before. */
	if (atomic_inc_return(&gs_asks) == 1 && !gs_ask_conditions(c))
		smp_store_release(&gs_asks_left, true);
}

/* Asks what handlers have left; what still can't be asked is left for the next time. */
static void gs_ask_left(void)
{
	unsigned long flags;
	struct gs_ctx *c;
	bool done = false;

	if (!smp_load_acquire(&gs_asks_left))
		return;
	local_irq_save(flags);
	c = &this_cpu_ptr(gs_cpus)->ctx;
	if ((s32)c->busy >= 0) {
		WRITE_ONCE(gs_asks_left, false);
		gs_take(c);
		done = gs_ask_conditions(c);
		gs_leave(c);
	}
	local_irq_restore(flags);
	if (!done) {
		WRITE_ONCE(gs_asks_left, true);
		gs_want_update();
	}
}

static void gs_update(struct work_struct *work)
{
	gs_later_begun(&gs_update_later);
	atomic_xchg(&gs_update_asked, 0);
	gs_ask_left();
	gs_update_probes();
}

/* update arms and disarms the probes whose conditions have changed; it may sleep. */
void gs_conditions_init(void (*update)(void))
{
	gs_update_probes = update;
	gs_later_init(&gs_update_later, gs_update, msecs_to_jiffies(GS_UPDATE_MS));
}

/* Asked first when the globals have their initial values, and nobody else wants them. */
void gs_conditions_start(void)
{
	unsigned long flags;
	struct gs_ctx *c;

	local_irq_save(flags);
	c = gs_idle_ctx();
	gs_take(c);
	atomic_set(&gs_asks, 1);
	gs_ask_conditions(c);
	gs_leave(c);
	local_irq_restore(flags);
}

void gs_conditions_changed(void)
{
	smp_store_release(&gs_asks_left, true);
	gs_want_update();
}

/* No handler runs any more. */
void gs_conditions_stop(void)
{
	WRITE_ONCE(gs_asks_left, false);
	gs_later_stop(&gs_update_later);
}
