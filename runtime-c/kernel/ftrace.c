// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ftrace.c - keeps ftrace on while probes depend on it. With
 * kernel.ftrace_enabled at 0 their functions would silently not be traced. The
 * kernel refuses to switch ftrace off while an ftrace_ops with
 * FTRACE_OPS_FL_PERMANENT is registered, and to register one while ftrace is
 * off. Groups of functions have such an ops; kprobes at a function's ftrace site
 * don't, so an ops that traces no function is registered for them.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>

#include "internal.h"

static void gs_ftrace_nothing(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
}

#define GS_KEEPER { .func = gs_ftrace_nothing, .flags = FTRACE_OPS_FL_PERMANENT }

static struct ftrace_ops gs_keeper = GS_KEEPER;
static bool gs_kept;
static u32 gs_kprobes_registered;

/* The same function in the filter and the notrace filter: an empty filter would mean all functions. */
static int gs_filter_nothing(void)
{
	char function[] = "schedule";
	int err = ftrace_set_filter(&gs_keeper, function, sizeof(function) - 1, 1);

	return err ?: ftrace_set_notrace(&gs_keeper, function, sizeof(function) - 1, 1);
}

/* ftrace leaves dangling pointers to the filters that it has freed, so the ops is initialised again. */
static void gs_free_keeper(void)
{
	ftrace_free_filter(&gs_keeper);
	gs_keeper = (struct ftrace_ops)GS_KEEPER;
}

/* 0, or -EBUSY: ftrace is off. */
static int gs_keep_ftrace(void)
{
	int err;

	if (gs_kept)
		return 0;
	err = gs_filter_nothing();
	if (!err)
		err = register_ftrace_function(&gs_keeper);
	if (err)
		gs_free_keeper();
	gs_kept = !err;
	return err;
}

/**
 * gs_kprobe_registered() - to be called between registering a kprobe, disabled, and arming it
 * @kp: the kprobe
 *
 * If a kprobe at an ftrace site is armed while ftrace is off, ftrace disables
 * itself for good later. Whether kprobes are switched off is checked by the
 * consumer.
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 * Return: 0, or -errno: it must not be armed; -EBUSY if ftrace is off.
 */
int gs_kprobe_registered(const struct kprobe *kp)
{
	lockdep_assert_held(&gs_session_mutex);
	WRITE_ONCE(gs_kprobes_registered, gs_kprobes_registered + 1);
	return kp->flags & KPROBE_FLAG_FTRACE ? gs_keep_ftrace() : 0;
}

u32 gs_kprobes_so_far(void)
{
	return READ_ONCE(gs_kprobes_registered);
}

/**
 * gs_release_ftrace() - allows ftrace to be switched off again, when no probe is left
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_release_ftrace(void)
{
	lockdep_assert_held(&gs_session_mutex);
	if (!gs_kept)
		return;
	unregister_ftrace_function(&gs_keeper);
	gs_free_keeper();
	gs_kept = false;
}
