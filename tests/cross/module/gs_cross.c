// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gs_cross.c - a module that is probed: functions that run in a task, in a
 * softirq and in a hard interrupt, some hundred times a second each as long as
 * it is loaded, with a tracepoint, and with writes to a variable that the
 * processor can watch.
 */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/panic.h>
#include <linux/sched.h>
#include <linux/delay.h>
#include <linux/version.h>

#define PERIOD_NS (4 * NSEC_PER_MSEC)

struct gs_cross_item {
	int number;
	char name[12];
	struct gs_cross_item *next;
	unsigned int low : 3, high : 5;
};

#define CREATE_TRACE_POINTS
#include "gs_cross.h"

static struct gs_cross_item second = { .number = -2, .name = "second", .low = 1, .high = 2 };
static struct gs_cross_item first = { .number = 1, .name = "first", .next = &second, .low = 5, .high = 31 };
static struct hrtimer timer;
static struct tasklet_struct tasklet;
static struct task_struct *thread;

noinline long gs_cross_task(int n, const char *text, struct gs_cross_item *item)
{
	barrier();
	return n + text[0] + item->number;
}

noinline long gs_cross_softirq(int n, const char *text, struct gs_cross_item *item)
{
	barrier();
	return n - text[0] - item->number;
}

noinline long gs_cross_hardirq(int n, const char *text, struct gs_cross_item *item)
{
	barrier();
	return n ^ text[0] ^ item->number;
}

/* The watched variable belongs to the kernel, and keeps its value. */
static void touch_watched(void)
{
	WRITE_ONCE(panic_timeout, READ_ONCE(panic_timeout));
}

static void run_softirq(struct tasklet_struct *t)
{
	static int n;

	gs_cross_softirq(n++, "softirq", &first);
	trace_gs_cross_event(n, "softirq", &first);
}

static enum hrtimer_restart run_hardirq(struct hrtimer *t)
{
	static int n;

	gs_cross_hardirq(n++, "hardirq", &first);
	touch_watched();
	trace_gs_cross_event(n, "hardirq", &first);
	tasklet_schedule(&tasklet);
	hrtimer_forward_now(t, ns_to_ktime(PERIOD_NS));
	return HRTIMER_RESTART;
}

static int run_task(void *unused)
{
	int n = 0;

	while (!kthread_should_stop()) {
		gs_cross_task(n++, "task", &first);
		touch_watched();
		trace_gs_cross_event(n, "task", &first);
		usleep_range(2000, 6000);
	}
	return 0;
}

static int __init begin(void)
{
	tasklet_setup(&tasklet, run_softirq);
	thread = kthread_run(run_task, NULL, "gs_cross");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&timer, run_hardirq, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	timer.function = run_hardirq;
#endif
	hrtimer_start(&timer, ns_to_ktime(PERIOD_NS), HRTIMER_MODE_REL_HARD);
	return 0;
}

static void __exit finish(void)
{
	hrtimer_cancel(&timer);
	tasklet_kill(&tasklet);
	kthread_stop(thread);
	tracepoint_synchronize_unregister();
}

module_init(begin);
module_exit(finish);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("what is probed in all contexts, for gostap's tests");
