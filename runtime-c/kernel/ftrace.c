// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ftrace.c - that ftrace stays on while probes depend on it. With
 * kernel.ftrace_enabled at 0 no function calls us, and nobody would say so.
 * The kernel refuses to switch ftrace off while an ftrace_ops is registered
 * that calls itself permanent, and to register one while it is off. Groups of
 * functions are such; kprobes that stand on a function's call of ftrace are
 * not, so one is registered for them that traces no function at all.
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

/* To be traced, and not to be traced: without a filter it would be all functions. */
static int gs_filter_nothing(void)
{
	char function[] = "schedule";
	int err = ftrace_set_filter(&gs_keeper, function, sizeof(function) - 1, 1);

	return err ?: ftrace_set_notrace(&gs_keeper, function, sizeof(function) - 1, 1);
}

/* ftrace leaves pointers to the filters that it has freed: the next one needs an ops without. */
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
 * gs_kprobe_registered() - a kprobe has been registered, but not armed: now it may be
 * @kp: the kprobe
 *
 * To arm one where ftrace calls while ftrace is off has ftrace give itself up
 * for good later. Whether kprobes are switched off, our consumer can see.
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
 * gs_release_ftrace() - lets ftrace be switched off again, when no probe is left
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
