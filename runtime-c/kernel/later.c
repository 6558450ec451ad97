// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * later.c - what handlers want done where one may sleep. They may be in an NMI
 * or in the scheduler, so they only queue irq_work; that queues a work item, at
 * most once in an interval, however often it is asked for.
 *
 * A CPU that goes does no irq_work any more, and one that comes none yet: it
 * would be done once the CPU is back, which may be never, and whoever has to
 * wait for it would hang. There another CPU is made to queue it.
 */
#include <asm/irq_regs.h>

#include "internal.h"

/**
 * gs_in_irq_work() - is this an interrupt of irq_work, which hands over no registers?
 *
 * What is probed there would have it come again at once, and what it has
 * interrupted would never go on: who queues work for each hit doesn't there.
 *
 * Context: Any.
 */
bool gs_in_irq_work(void)
{
	return in_hardirq() && !get_irq_regs();
}

static void gs_later_elsewhere(void *irq)
{
	irq_work_queue(irq);
}

static void gs_later_irq(struct irq_work *irq)
{
	struct gs_later *l = container_of(irq, struct gs_later, irq);
	long wait = READ_ONCE(l->next) - jiffies;

	queue_delayed_work(gs_workqueue, &l->work, clamp(wait, 0l, (long)l->every));
}

void gs_later_init(struct gs_later *l, work_func_t work, unsigned long every)
{
	init_irq_work(&l->irq, gs_later_irq);
	l->elsewhere.func = gs_later_elsewhere;
	l->elsewhere.info = &l->irq;
	INIT_DELAYED_WORK(&l->work, work);
	l->every = every;
	l->next = jiffies;
}

/* From any context. Where another CPU has been asked and has not begun, it does this one, too. */
void gs_later(struct gs_later *l)
{
	if (cpu_active(get_cpu()))
		irq_work_queue(&l->irq);
	else
		smp_call_function_single_async(cpumask_any(cpu_active_mask), &l->elsewhere);
	put_cpu();
}

void gs_later_begun(struct gs_later *l)
{
	WRITE_ONCE(l->next, jiffies + l->every);
}

/* Returns when the work item is queued, if it was asked for. */
static void gs_later_sync(struct gs_later *l)
{
	kick_all_cpus_sync();	/* whom another CPU has asked */
	irq_work_sync(&l->irq);
}

void gs_later_flush(struct gs_later *l)
{
	gs_later_sync(l);
	queue_delayed_work(gs_workqueue, &l->work, 0);
	flush_delayed_work(&l->work);
}

/* It may still ask for itself, so it is stopped first. */
void gs_later_stop(struct gs_later *l)
{
	int i;

	for (i = 0; i < 2; i++) {
		gs_later_sync(l);
		cancel_delayed_work_sync(&l->work);
	}
}
