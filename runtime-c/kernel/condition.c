// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * condition.c - probes with "if (cond)". While its condition is false, a
 * probe's slot holds a handler that does nothing, and a moment later the probe
 * is disarmed, so that nobody pays for it; when it turns true, the same in
 * reverse. A handler that writes what a condition reads asks them all again
 * behind its end; what goes wrong in one counts as false.
 *
 * Handlers can't arm and disarm: they queue irq_work, as in message.c, and that
 * a work item, which follows the conditions at most once in GS_FOLLOW_MS,
 * however often they change.
 */
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include "dispatch.h"

#define GS_FOLLOW_MS 100

static atomic_t gs_follow_asked = ATOMIC_INIT(0);	/* and not begun: asking may itself be what changes a condition */
static struct irq_work gs_follow_irq_work;
static struct delayed_work gs_follow_work;
static unsigned long gs_follow_next;	/* jiffies: not before */

static void gs_follow(struct work_struct *work)
{
	WRITE_ONCE(gs_follow_next, jiffies + msecs_to_jiffies(GS_FOLLOW_MS));
	atomic_xchg(&gs_follow_asked, 0);
	gs_session_follow();
}

static void gs_follow_irq(struct irq_work *work)
{
	long wait = READ_ONCE(gs_follow_next) - jiffies;

	queue_delayed_work(gs_workqueue, &gs_follow_work, clamp(wait, 0l, (long)msecs_to_jiffies(GS_FOLLOW_MS)));
}

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
	bool changed = false;
	u32 i;

	c->error = NULL;
	for (i = 0; i < gs_program.nprobes; i++) {
		const struct gs_probe *probe = &gs_program.probes[i];
		void (*handler)(struct gs_ctx *) = probe->handler;
		struct gs_slot *slot = &gs_slots[i];
		bool off = !gs_holds(c, probe);

		if (probe->flags & GS_PROBE_CONDS)
			handler = gs_handle_and_ask;
		if (off)
			handler = gs_handle_nothing;
		WRITE_ONCE(slot->handler, handler);
		if (off == slot->off)
			continue;
		WRITE_ONCE(slot->off, off);
		changed = true;
	}
	if (changed && !atomic_xchg(&gs_follow_asked, 1))
		irq_work_queue(&gs_follow_irq_work);
	c->error = error;
	c->error_near = near;
}

void gs_conditions_init(void)
{
	init_irq_work(&gs_follow_irq_work, gs_follow_irq);
	INIT_DELAYED_WORK(&gs_follow_work, gs_follow);
	gs_follow_next = jiffies;
}

/* Asked first when the globals have their initial values. */
void gs_conditions_start(void)
{
	unsigned long flags;
	struct gs_ctx *c;

	local_irq_save(flags);
	c = &this_cpu_ptr(gs_cpus)->ctx;
	gs_take(c);
	gs_ask_conditions(c);
	gs_leave(c);
	local_irq_restore(flags);
}

/* No handler runs any more. */
void gs_conditions_free(void)
{
	irq_work_sync(&gs_follow_irq_work);
	cancel_delayed_work_sync(&gs_follow_work);
}
