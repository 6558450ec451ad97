// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * condition.c - probes with "if (cond)". While its condition is false, a
 * probe's slot has a handler that does nothing, and a moment later the probe is
 * disarmed, so that its hits cost nothing; when the condition becomes true, the
 * handler is put back and the probe is armed. All conditions are evaluated at
 * the end of each handler that writes a global which a condition reads. A
 * condition with an error is false.
 *
 * One CPU at a time evaluates. Requests of other CPUs meanwhile make it evaluate
 * again, so that its last result is that of the last values of the globals. If
 * there are requests after GS_EVALUATE_ROUNDS rounds, or a lock or the stack
 * can't be had, the slots stay as they are, and evaluation is deferred to the
 * work item.
 *
 * Handlers can't arm and disarm probes: they queue the work item, which does it
 * at most once in GS_UPDATE_MS, however often conditions change.
 */
#include <linux/jiffies.h>

#include "dispatch.h"

#define GS_UPDATE_MS 100
#define GS_EVALUATE_ROUNDS 4

static atomic_t gs_conditions_pending = ATOMIC_INIT(0);	/* requests to evaluate; the CPU that makes it 1 evaluates for all */
static bool gs_conditions_deferred;	/* the work item is to evaluate, and handlers are not */
static atomic_t gs_update_pending = ATOMIC_INIT(0);	/* the work item is queued and has not begun; when it evaluates, it may queue itself again */
static struct gs_later gs_update_later;
static void (*gs_update_probes)(void);

/**
 * gs_schedule_update() - queues the work item that arms and disarms probes
 *
 * Context: Any, NMIs too, while a session runs or is about to.
 */
void gs_schedule_update(void)
{
	if (!atomic_xchg(&gs_update_pending, 1))
		gs_later(&gs_update_later);
}

static void gs_handle_nothing(struct gs_ctx *c)
{
}

static void gs_handle_and_evaluate(struct gs_ctx *c);

/* 1 for true, 0 for false, or -1 if it can't be evaluated here: for lack of a lock or of stack. */
static int gs_condition_holds(struct gs_ctx *c, const struct gs_probe *probe, const struct gs_slot *slot)
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

/* Evaluates one probe's condition and fills in its slot; false if it could not. */
static bool gs_evaluate_condition(struct gs_ctx *c, u32 i, bool *changed)
{
	const struct gs_probe *probe = &gs_program.probes[i];
	struct gs_slot *slot = &gs_slots[i];
	int holds = gs_condition_holds(c, probe, slot);

	if (holds < 0)
		return false;
	WRITE_ONCE(slot->handler, !holds ? gs_handle_nothing :
				  probe->flags & GS_PROBE_CONDS ? gs_handle_and_evaluate : probe->handler);
	if (slot->off == holds) {
		WRITE_ONCE(slot->off, !holds);
		*changed = true;
	}
	return true;
}

/* Evaluates all until there is no request meanwhile; false if they are not up to date. */
static bool gs_evaluate_all(struct gs_ctx *c)
{
	bool changed = false, done = false;
	int round, seen;
	u32 i;

	for (round = 0; round < GS_EVALUATE_ROUNDS && !done; round++) {
		/* A full barrier: what was written before these requests is seen. */
		seen = atomic_add_return(0, &gs_conditions_pending);
		for (i = 0; i < gs_program.nprobes; i++)
			if (!gs_evaluate_condition(c, i, &changed))
				goto out;
		done = atomic_cmpxchg(&gs_conditions_pending, seen, 0) == seen;
	}
out:
	if (changed || !done)
		gs_schedule_update();
	return done;
}

/* In a context that is taken, which is restored. The caller has made the first request. */
static bool gs_evaluate_conditions(struct gs_ctx *c)
{
	const char *error = c->error, *near = c->error_near;
	const struct gs_point *point = c->point;
	struct gs_regs *regs = c->regs;
	u64 ip = c->ip;
	bool done;

	c->error = NULL;
	c->regs = NULL;
	c->ip = 0;
	c->in_condition = 1;
	done = gs_evaluate_all(c);
	c->in_condition = 0;
	c->error = error;
	c->error_near = near;
	c->point = point;
	c->regs = regs;
	c->ip = ip;
	return done;
}

static void gs_handle_and_evaluate(struct gs_ctx *c)
{
	gs_program.probes[c->point->probe].handler(c);
	/* A full barrier: what the handler has written comes before. */
	if (atomic_inc_return(&gs_conditions_pending) == 1 && !gs_evaluate_conditions(c))
		smp_store_release(&gs_conditions_deferred, true);
}

/* Evaluates what handlers have deferred; if it can't be done now either, it is deferred again. */
static void gs_evaluate_deferred(void)
{
	unsigned long flags;
	struct gs_ctx *c;
	bool done = false;

	if (!smp_load_acquire(&gs_conditions_deferred))
		return;
	local_irq_save(flags);
	c = &this_cpu_ptr(gs_cpus)->ctx;
	if ((s32)c->busy >= 0) {
		WRITE_ONCE(gs_conditions_deferred, false);
		gs_take(c);
		done = gs_evaluate_conditions(c);
		gs_leave(c);
	}
	local_irq_restore(flags);
	if (!done) {
		WRITE_ONCE(gs_conditions_deferred, true);
		gs_schedule_update();
	}
}

static void gs_update(struct work_struct *work)
{
	gs_later_begun(&gs_update_later);
	atomic_xchg(&gs_update_pending, 0);
	gs_evaluate_deferred();
	gs_update_probes();
}

/* update arms and disarms the probes whose conditions have changed; it may sleep. */
void gs_conditions_init(void (*update)(void))
{
	gs_update_probes = update;
	gs_later_init(&gs_update_later, gs_update, msecs_to_jiffies(GS_UPDATE_MS));
}

/* Evaluates the conditions for the first time: the globals have their initial values, and nothing else uses them yet. */
void gs_conditions_start(void)
{
	unsigned long flags;
	struct gs_ctx *c;

	local_irq_save(flags);
	c = gs_idle_ctx();
	gs_take(c);
	atomic_set(&gs_conditions_pending, 1);
	gs_evaluate_conditions(c);
	gs_leave(c);
	local_irq_restore(flags);
}

void gs_conditions_changed(void)
{
	smp_store_release(&gs_conditions_deferred, true);
	gs_schedule_update();
}

/* No handler runs any more. */
void gs_conditions_stop(void)
{
	WRITE_ONCE(gs_conditions_deferred, false);
	gs_later_stop(&gs_update_later);
}
