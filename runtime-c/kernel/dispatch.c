// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dispatch.c - the slow path of hits: errors, skipped hits; and the handlers of
 * begin, end and error probes.
 */
#include <linux/delay.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "dispatch.h"

struct gs_slot *gs_slots;
const struct gs_group **gs_shared;
const struct gs_family **gs_families_of;
const char gs_aborted[] = "abort()";
static atomic64_t gs_errors = ATOMIC64_INIT(0);
static atomic64_t gs_skips = ATOMIC64_INIT(0);

/* The message for too many errors or skipped hits: formatted beforehand, as little stack may be left then. */
static char gs_too_many_errors[128], gs_too_many_skips[128];

static void gs_prepare_text(char *text, size_t size, const char *name, const char *what, u32 limit)
{
	scnprintf(text, size, "%s exceeded: more than %u %s; raise it with -D%s=%llu", name, limit, what, name,
		  limit ? limit * 10ull : 10);
}

static void gs_prepare_texts(void)
{
	gs_prepare_text(gs_too_many_errors, sizeof(gs_too_many_errors), "MAXERRORS", "errors",
			gs_program.limits.maxerrors);
	gs_prepare_text(gs_too_many_skips, sizeof(gs_too_many_skips), "MAXSKIPPED", "skipped probe hits",
			gs_program.limits.maxskipped);
}

/* Said once. */
static void gs_exceeded(const char *text)
{
	if (READ_ONCE(gs_state) != GS_STATE_FAILED)
		gs_message(GS_MSG_ERROR, text, strlen(text), NULL, NULL);
}

/**
 * gs_init_slot() - a slot without a condition
 * @slot: the slot
 * @probe: its probe
 * @handler: what runs; NULL if nothing does
 *
 * Context: Any, before the slot is in use.
 */
void gs_init_slot(struct gs_slot *slot, u32 probe, void (*handler)(struct gs_ctx *c))
{
	slot->handler = handler;
	slot->stack_floor = gs_stack_floor(probe);
	slot->stack_span = THREAD_SIZE - slot->stack_floor;
}

/* The family of that name, NULL if the runtime has none. */
static const struct gs_family *gs_family_named(const char *name)
{
	const struct gs_family *const *f;

	for (f = gs_families; *f; f++)
		if (!strcmp((*f)->name, name))
			return *f;
	return NULL;
}

/* Memory that only a running session needs. */
int gs_dispatch_start(void)
{
	u32 i;

	gs_slots = kvcalloc(gs_program.nprobes, sizeof(*gs_slots), GFP_KERNEL);
	gs_shared = kvcalloc(gs_program.npoints, sizeof(*gs_shared), GFP_KERNEL);
	gs_families_of = kvcalloc(gs_program.npoints, sizeof(*gs_families_of), GFP_KERNEL);
	if (!gs_slots || !gs_shared || !gs_families_of)
		return -ENOMEM;
	for (i = 0; i < gs_program.npoints; i++)
		gs_families_of[i] = gs_family_named(gs_program.points[i].family);
	for (i = 0; i < gs_program.nprobes; i++)
		gs_init_slot(&gs_slots[i], i, gs_program.probes[i].handler);
	for (i = gs_program.npoints; i-- > 0;)
		gs_slots[gs_program.points[i].probe].point = &gs_program.points[i];
	gs_prepare_texts();
	return 0;
}

void gs_dispatch_free(void)
{
	kvfree(gs_families_of);
	kvfree(gs_shared);
	kvfree(gs_slots);
}

/* The unwinder, which is called here, may itself be probed: its hits find the context taken. */
static bool gs_stack_has_room(struct gs_ctx *c, const struct gs_slot *slot)
{
	bool room;

	gs_take(c);
	room = gs_stack_left() >= slot->stack_floor;
	gs_leave(c);
	return room;
}

/* Is the context free, and stack enough left? */
noinline bool gs_may_take(struct gs_ctx *c, const struct gs_slot *slot)
{
	if ((s32)c->busy < 0)
		gs_skip_here(container_of(c, struct gs_cpu, ctx)->frame ? GS_SKIP_BUSY : GS_SKIP_MEMORY);
	else if (!gs_stack_has_room(c, slot))
		gs_skip_here(GS_SKIP_STACK);
	else
		return true;
	return false;
}

/**
 * gs_run_cold() - runs the handler of a begin, end or error probe
 * @p: the probe's point
 *
 * Called by the session, in any state, while nothing else is armed. So no
 * other handler uses the context, though interrupts are on and long work
 * reschedules; preemption is off, as embedded C expects it.
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_run_cold(const struct gs_point *p)
{
	struct gs_ctx *c;

	lockdep_assert_held(&gs_session_mutex);
	preempt_disable();
	c = gs_idle_ctx();
	if (!gs_may_take(c, &gs_slots[p->probe]))
		goto out;
	gs_take(c);
	c->interruptible = true;
	c->point = p;
	c->regs = NULL;
	c->ip = 0;
	c->time = 0;
	gs_slots[p->probe].handler(c);
	if (c->error)
		gs_report(c);
	c->interruptible = false;
	gs_leave(c);
out:
	preempt_enable();
}

void gs_give_way(struct gs_ctx *c)
{
	if (!c->interruptible)
		return;
	preempt_enable();
	cond_resched();
	preempt_disable();
}

void gs_lock_wait(void)
{
	cpu_relax();
	udelay(gs_program.limits.trylockdelay);
}

__cold void gs_suppressed(struct gs_ctx *c, const char *text, const char *near)
{
	if (atomic64_inc_return(&gs_errors) == 1 && gs_program.limits.first_error)
		gs_message(GS_MSG_WARNING, text, strlen(text), near, gs_point_of(c)->name);
}

/* The handler has ended with an error. */
noinline __cold void gs_report(struct gs_ctx *c)
{
	struct gs_cpu *me = container_of(c, struct gs_cpu, ctx);
	u64 n;

	if (c->error == gs_aborted)
		goto out;
	if (gs_program.limits.suppress_errors) {
		gs_suppressed(c, c->error, c->error_near);
		goto out;
	}
	n = atomic64_inc_return(&gs_errors);
	/* Errors on other CPUs after the one that ends the session are not reported. */
	if (n <= (u64)gs_program.limits.maxerrors + 1 || READ_ONCE(gs_ending))
		gs_message(GS_MSG_ERROR, c->error, strlen(c->error), c->error_near, gs_point_of(c)->name);
	if (n > gs_program.limits.maxerrors) {
		/* If the first error ends the session, that error is the only message. */
		if (gs_program.limits.maxerrors && n == (u64)gs_program.limits.maxerrors + 1)
			gs_exceeded(gs_too_many_errors);
		gs_end_session(GS_STATE_FAILED);
	}
out:
	c->error = NULL;
	c->error_near = NULL;
	c->nesting = 0;
	c->frame = me->frame;
}

struct gs_ctx *gs_this_context(void)
{
	return &this_cpu_ptr(gs_cpus)->ctx;
}

/* Counts a handler that could not run. On this CPU, with interrupts off. */
noinline __cold void gs_skip_here(u32 kind)
{
	/* A single instruction: an NMI may come between any two. */
	this_cpu_inc(gs_cpus->skipped[kind]);
	/* Hits of functions that handlers call are counted, but not against MAXSKIPPED. */
	if (kind == GS_SKIP_BUSY)
		return;
	if (atomic64_inc_return(&gs_skips) == (u64)gs_program.limits.maxskipped + 1 &&
	    !gs_program.limits.suppress_errors) {
		gs_exceeded(gs_too_many_skips);
		gs_end_session(GS_STATE_FAILED);
	}
}

void gs_skip(struct gs_ctx *c, gs_u32 kind)
{
	gs_skip_here(kind);
}

u64 gs_errors_so_far(void)
{
	return atomic64_read(&gs_errors);
}

void gs_skips_so_far(u64 *skipped)
{
	const struct gs_family *const *f;
	int cpu, kind;

	for_each_possible_cpu(cpu)
		for (kind = 0; kind < GS_NSKIP; kind++)
			skipped[kind] += READ_ONCE(per_cpu_ptr(gs_cpus, cpu)->skipped[kind]);
	for (f = gs_families; *f; f++)
		if ((*f)->missed)
			(*f)->missed(skipped);
}
