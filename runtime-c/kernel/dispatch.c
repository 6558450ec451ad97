// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dispatch.c - the CPUs' contexts, and what a hit seldom comes to: errors,
 * skips, handlers of begin and end probes.
 */
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "dispatch.h"

struct gs_cpu __percpu *gs_cpus;
struct gs_slot *gs_slots;
const struct gs_group **gs_shared;
const char gs_aborted[] = "abort()";
static atomic64_t gs_errors = ATOMIC64_INIT(0);
static atomic64_t gs_skips = ATOMIC64_INIT(0);

int gs_dispatch_init(void)
{
	int cpu;

	gs_cpus = alloc_percpu(struct gs_cpu);
	if (!gs_cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct gs_ctx *c = &per_cpu_ptr(gs_cpus, cpu)->ctx;

		c->cpu = cpu;
		gs_load_init(c);
	}
	return 0;
}

/* Memory that only a running session needs. */
int gs_dispatch_start(void)
{
	u32 i;
	int cpu;

	gs_slots = kvcalloc(gs_program.nprobes, sizeof(*gs_slots), GFP_KERNEL);
	gs_shared = kvcalloc(gs_program.npoints, sizeof(*gs_shared), GFP_KERNEL);
	if (!gs_slots || !gs_shared)
		return -ENOMEM;
	for (i = 0; i < gs_program.nprobes; i++)
		gs_slots[i].handler = gs_program.probes[i].handler;
	for_each_possible_cpu(cpu) {
		struct gs_cpu *me = per_cpu_ptr(gs_cpus, cpu);

		/* Behind the frame, tokenize() keeps its string. */
		me->frame = kvzalloc_node(gs_program.frame_size + MAXSTRINGLEN, GFP_KERNEL, cpu_to_node(cpu));
		if (!me->frame)
			return -ENOMEM;
		me->ctx.frame = me->frame;
		me->ctx.frame_end = me->frame + gs_program.frame_size;
	}
	return 0;
}

void gs_dispatch_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(per_cpu_ptr(gs_cpus, cpu)->frame);
	kvfree(gs_shared);
	kvfree(gs_slots);
	free_percpu(gs_cpus);
}

/* Is the context free, and stack enough left? */
noinline bool gs_may_take(struct gs_ctx *c)
{
	if ((s32)c->busy < 0)
		gs_skip_here(GS_SKIP_BUSY);
	else if (gs_stack_left() < gs_program.limits.minstackspace)
		gs_skip_here(GS_SKIP_STACK);
	else
		return true;
	return false;
}

/* A begin, end or error probe: called by the session itself, whatever its state. */
void gs_run_cold(const struct gs_point *p)
{
	unsigned long flags;
	struct gs_ctx *c;

	local_irq_save(flags);
	c = &this_cpu_ptr(gs_cpus)->ctx;
	gs_take(c);
	c->point = p;
	c->regs = NULL;
	c->ip = 0;
	c->time = 0;
	gs_slots[p->probe].handler(c);
	if (c->error)
		gs_report(c);
	gs_leave(c);
	local_irq_restore(flags);
}

/* More errors or skips than the script may have; said once. */
static void gs_exceeded(const char *name, const char *what, u32 limit)
{
	char text[128];
	int n;

	if (READ_ONCE(gs_state) == GS_STATE_FAILED)
		return;
	n = scnprintf(text, sizeof(text), "%s exceeded: more than %u %s; raise it with -D%s=%u", name, limit, what,
		      name, limit ? limit * 10 : 10);
	gs_message(GS_MSG_ERROR, text, n, NULL, NULL);
}

/* The handler has ended with an error. */
noinline __cold void gs_report(struct gs_ctx *c)
{
	struct gs_cpu *me = container_of(c, struct gs_cpu, ctx);
	u64 n;

	if (c->error == gs_aborted)
		goto out;
	n = atomic64_inc_return(&gs_errors);
	if (gs_program.limits.suppress_errors)
		goto out;
	/* Errors of other CPUs, after the one that ends the session, would only follow from it. */
	if (n <= (u64)gs_program.limits.maxerrors + 1 || READ_ONCE(gs_ending))
		gs_message(GS_MSG_ERROR, c->error, strlen(c->error), c->error_near, gs_point_of(c)->name);
	if (n > gs_program.limits.maxerrors) {
		/* Where the first error ends the session, it speaks for itself. */
		if (gs_program.limits.maxerrors && n == (u64)gs_program.limits.maxerrors + 1)
			gs_exceeded("MAXERRORS", "errors", gs_program.limits.maxerrors);
		gs_end_session(GS_STATE_FAILED);
	}
out:
	c->error = NULL;
	c->error_near = NULL;
	c->nesting = 0;
	c->frame = me->frame;
}

/* On this CPU, with interrupts off, a handler could not run. */
noinline __cold void gs_skip_here(u32 kind)
{
	/* A single instruction: an NMI may come between any two. */
	this_cpu_inc(gs_cpus->skipped[kind]);
	/* A probe on what handlers call is no fault. */
	if (kind == GS_SKIP_BUSY)
		return;
	if (atomic64_inc_return(&gs_skips) == (u64)gs_program.limits.maxskipped + 1 &&
	    !gs_program.limits.suppress_errors) {
		gs_exceeded("MAXSKIPPED", "skipped probe hits", gs_program.limits.maxskipped);
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

const struct gs_point *gs_point_of(struct gs_ctx *c)
{
	return gs_function_point(c->point, c->ip);
}
