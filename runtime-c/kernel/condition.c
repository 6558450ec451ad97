// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * condition.c - probes with "if (cond)". While its condition is false, a
 * probe's slot holds a handler that does nothing, so that the others' hits
 * don't pay for the question. A handler that writes what a condition reads
 * asks them all again behind its end; what goes wrong in one counts as false.
 */
#include "dispatch.h"

static void gs_handle_nothing(struct gs_ctx *c)
{
}

static void gs_ask_conditions(struct gs_ctx *c);

static void gs_handle_and_ask(struct gs_ctx *c)
{
	gs_program.probes[c->point->probe].handler(c);
	gs_ask_conditions(c);
}

static bool gs_holds(struct gs_ctx *c, const struct gs_probe *probe)
{
	bool holds = !probe->cond || (probe->cond(c) && !c->error);

	c->error = NULL;
	return holds;
}

static void gs_ask_conditions(struct gs_ctx *c)
{
	const char *error = c->error, *near = c->error_near;
	u32 i;

	c->error = NULL;
	for (i = 0; i < gs_program.nprobes; i++) {
		const struct gs_probe *probe = &gs_program.probes[i];
		void (*handler)(struct gs_ctx *) = probe->handler;

		if (probe->flags & GS_PROBE_CONDS)
			handler = gs_handle_and_ask;
		if (!gs_holds(c, probe))
			handler = gs_handle_nothing;
		WRITE_ONCE(gs_slots[i].handler, handler);
	}
	c->error = error;
	c->error_near = near;
}

/* Asked first when the globals have their initial values. */
void gs_conditions_start(void)
{
	unsigned long flags;
	struct gs_ctx *c;

	local_irq_save(flags);
	c = &this_cpu_ptr(gs_cpus)->ctx;
	c->busy = GS_BUSY;
	c->actions = gs_program.limits.maxaction_cold;
	gs_ask_conditions(c);
	c->busy = 0;
	local_irq_restore(flags);
}
