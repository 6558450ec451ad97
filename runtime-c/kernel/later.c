// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * later.c - deferred work of handlers, which may sleep. Handlers may run in an
 * NMI or in the scheduler, so they only queue irq_work; that queues a work item,
 * at most once in an interval, however often handlers request it.
 *
 * A CPU that is going offline or coming online does not run irq_work: it would
 * run when the CPU is back, which may be never, and gs_later_flush() would hang.
 * On such a CPU, another CPU is made to queue the work item, by an IPI.
 */
#include <asm/irq_regs.h>

#include "internal.h"

/**
 * gs_in_irq_work() - is this an irq_work interrupt?
 *
 * If handlers of code that is probed there queued irq_work at each hit, it would
 * be raised again at once, and the interrupted code would never continue.
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

/* From any context. An IPI that is pending serves this request, too. */
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

/* Returns when the work item is queued, if it has been requested. */
static void gs_later_sync(struct gs_later *l)
{
	kick_all_cpus_sync();	/* for pending IPIs */
	irq_work_sync(&l->irq);
}

void gs_later_flush(struct gs_later *l)
{
	gs_later_sync(l);
	queue_delayed_work(gs_workqueue, &l->work, 0);
	flush_delayed_work(&l->work);
}

/* The work item may queue itself again, so it is stopped first. */
void gs_later_stop(struct gs_later *l)
{
	int i;

	for (i = 0; i < 2; i++) {
		gs_later_sync(l);
		cancel_delayed_work_sync(&l->work);
	}
}
