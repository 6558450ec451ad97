// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signal.c - signals that handlers raise in the current thread. To send one
 * takes locks of signal handling and the scheduler that the probed code may
 * hold, so irq_work sends it, when interrupts are on again.
 */
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "internal.h"

static void gs_signal_later(struct irq_work *work)
{
	struct gs_signal *s = container_of(work, struct gs_signal, send);
	struct task_struct *t = s->to;

	send_sig(s->number, t, 1);
	/* Release: the entry is free for handlers. */
	smp_store_release(&s->to, NULL);
	put_task_struct(t);
}

int gs_signal(struct gs_ctx *c, gs_s64 number)
{
	struct gs_signal *signals = container_of(c, struct gs_cpu, ctx)->signals;
	u32 i;

	if (number < 1 || number > _NSIG)
		return -EINVAL;
	if (current->flags & (PF_KTHREAD | PF_EXITING) || is_global_init(current))
		return -EPERM;
	if (gs_in_irq_work())
		return -EAGAIN;
	for (i = 0; i < GS_NSIGNALS; i++) {
		struct gs_signal *s = &signals[i];

		if (smp_load_acquire(&s->to))
			continue;
		s->number = number;
		WRITE_ONCE(s->to, get_task_struct(current));
		irq_work_queue(&s->send);
		return 0;
	}
	return -EAGAIN;
}

void gs_signals_init(void)
{
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < GS_NSIGNALS; i++)
			init_irq_work(&per_cpu_ptr(gs_cpus, cpu)->signals[i].send, gs_signal_later);
}

/* No handler runs any more. */
void gs_signals_free(void)
{
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < GS_NSIGNALS; i++)
			irq_work_sync(&per_cpu_ptr(gs_cpus, cpu)->signals[i].send);
}
