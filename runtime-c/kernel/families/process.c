// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process.c - events of processes and threads: begin, by fork or exec; end; and
 * system calls. args[0] is the event, args[1] a pid or 0 for all processes; the
 * image is the program that they must run, or the kernel for any. Handlers run in
 * the task concerned. For processes and threads that exist already, the begin
 * event is at the session's start.
 *
 * There is no tracepoint in a new task, nor in an ending task that still has its
 * memory: for these events, kernel functions are probed by kprobes.
 */
#include <linux/kprobes.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../dispatch.h"
#include "../hook.h"
#include "../visit.h"

enum gs_process_event {
	GS_PROCESS_BEGIN = 1,
	GS_PROCESS_END,
	GS_THREAD_BEGIN,
	GS_THREAD_END,
	GS_PROCESS_SYSCALL,
	GS_PROCESS_SYSRET,
	GS_PROCESS_EVENTS
};

/* The points of each event: gs_process_hits[first[e] .. first[e + 1]). */
static struct gs_hit *gs_process_hits;
static u32 gs_process_first[GS_PROCESS_EVENTS + 1];

static bool gs_process_concerns(const struct gs_point *p, const struct task_struct *t)
{
	if (p->args[1] && !gs_is_process(t, p->args[1]))
		return false;
	if (!p->args[1] && !p->image && !gs_is_process(t, -1))
		return false;
	return gs_runs_program(t, p->image) && gs_may_probe(t);
}

static void gs_process_happens(enum gs_process_event event, struct pt_regs *regs)
{
	u32 i;

	for (i = gs_process_first[event]; i < gs_process_first[event + 1]; i++)
		if (gs_process_concerns(gs_process_hits[i].point, current))
			gs_run(&gs_process_hits[i], regs, 0, false);
}

static bool gs_runs_user_code(void)
{
	return current->mm && !(current->flags & PF_KTHREAD);
}

/* In the new task, before it enters user space for the first time. */
static int gs_process_born(struct kprobe *kp, struct pt_regs *regs)
{
	if (gs_runs_user_code())
		gs_process_happens(thread_group_leader(current) ? GS_PROCESS_BEGIN : GS_THREAD_BEGIN,
				   task_pt_regs(current));
	return 0;
}

static void gs_process_executes(void *data, struct task_struct *task, pid_t old, struct linux_binprm *bprm)
{
	if (!gs_runs_user_code())
		return;
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		gs_programs_await();
	gs_process_happens(GS_PROCESS_BEGIN, task_pt_regs(current));
}

/* Called when a process's last thread ends, while its memory still exists; but also at exec. */
static int gs_process_dies(struct kprobe *kp, struct pt_regs *regs)
{
	if (gs_runs_user_code() && current->flags & PF_EXITING)
		gs_process_happens(GS_PROCESS_END, task_pt_regs(current));
	return 0;
}

static int gs_thread_dies(struct kprobe *kp, struct pt_regs *regs)
{
	if (gs_runs_user_code() && !thread_group_leader(current))
		gs_process_happens(GS_THREAD_END, task_pt_regs(current));
	return 0;
}

static void gs_process_calls(void *data, struct pt_regs *regs, long number)
{
	gs_process_happens(GS_PROCESS_SYSCALL, regs);
}

static void gs_process_returns(void *data, struct pt_regs *regs, long result)
{
	gs_process_happens(GS_PROCESS_SYSRET, regs);
}

/* The begin event of a task that exists when the session starts. */
static enum gs_process_event gs_process_beginning(const struct task_struct *t)
{
	return thread_group_leader((struct task_struct *)t) ? GS_PROCESS_BEGIN : GS_THREAD_BEGIN;
}

static bool gs_process_exists(const struct task_struct *t)
{
	enum gs_process_event event = gs_process_beginning(t);
	u32 i;

	for (i = gs_process_first[event]; i < gs_process_first[event + 1]; i++)
		if (gs_process_concerns(gs_process_hits[i].point, t))
			return true;
	return false;
}

static void gs_process_visited(void)
{
	if (gs_runs_user_code())
		gs_process_happens(gs_process_beginning(current), task_pt_regs(current));
}

static struct gs_visits gs_process_visits;

static struct kprobe gs_process_kprobes[] = {
	{ .symbol_name = "calculate_sigpending", .pre_handler = gs_process_born },
	{ .symbol_name = "exit_itimers", .pre_handler = gs_process_dies },
	{ .symbol_name = "exit_signals", .pre_handler = gs_thread_dies },
};

static struct gs_hook gs_process_hooks[] = {
	{ "sched_process_exec", gs_process_executes },
	{ "sys_enter", gs_process_calls },
	{ "sys_exit", gs_process_returns },
};

/* Bits of the gs_process_kprobes and, from bit 4 on, the gs_process_hooks that an event needs. */
static const u8 gs_process_takes[GS_PROCESS_EVENTS] = {
	[GS_PROCESS_BEGIN] = 0x11, [GS_PROCESS_END] = 0x02, [GS_THREAD_BEGIN] = 0x01,
	[GS_THREAD_END] = 0x04, [GS_PROCESS_SYSCALL] = 0x20, [GS_PROCESS_SYSRET] = 0x40,
};
static u8 gs_process_armed;	/* the same bits */

/* Registers a kprobe disabled, as it may turn out that it must not be armed. 0 or -errno. */
static int gs_process_arm_kprobe(struct kprobe *kp)
{
	int err;

	kp->addr = NULL;
	kp->flags = KPROBE_FLAG_DISABLED;
	err = register_kprobe(kp);
	if (err)
		return err;
	err = gs_kprobe_registered(kp) ?: enable_kprobe(kp);
	if (err)
		unregister_kprobe(kp);
	return err;
}

/* Arms the kprobes and hooks that a point needs; a program that did not exist has to be noticed when it is executed. 0 or -errno. */
static int gs_process_arm_point(const struct gs_point *p)
{
	u8 takes = gs_process_takes[p->args[0]];
	u32 i;
	int err = 0;

	if (p->image && !gs_program_inode(p->image)) {
		if (IS_ENABLED(CONFIG_PREEMPT_RT))
			return -EOPNOTSUPP;
		takes |= 0x10;
	}
	for (i = 0; i < 8 && !err; i++) {
		if (!(takes & ~gs_process_armed & 1 << i))
			continue;
		err = i < 4 ? gs_process_arm_kprobe(&gs_process_kprobes[i]) : gs_hook_arm(&gs_process_hooks[i - 4]);
		if (!err)
			gs_process_armed |= 1 << i;
	}
	return err;
}

/* 0 or -ENOMEM. For points whose event the kernel has no hook for, gs_unarmed() is called. */
static int gs_processes_arm(const struct gs_point **points, u32 n)
{
	u32 event, i, at = 0;
	int err;

	lockdep_assert_held(&gs_session_mutex);
	gs_process_hits = kvcalloc(n, sizeof(*gs_process_hits), GFP_KERNEL);
	if (!gs_process_hits)
		return -ENOMEM;
	for (event = 0; event <= GS_PROCESS_EVENTS; event++) {
		gs_process_first[event] = at;
		for (i = 0; i < n; i++)
			if (points[i]->args[0] == event)
				gs_process_hits[at++] = gs_hit_of(points[i]);
	}
	for (i = 0; i < at; i++) {
		err = gs_process_arm_point(gs_process_hits[i].point);
		if (err == -ENOMEM)
			return err;
		if (err)
			gs_unarmed(gs_process_hits[i].point, err);
	}
	return 0;
}

static void gs_processes_running(void)
{
	if (!(gs_process_armed & (gs_process_takes[GS_PROCESS_BEGIN] | gs_process_takes[GS_THREAD_BEGIN])))
		return;
	gs_visits_open(&gs_process_visits, gs_process_visited);
	gs_visit_existing(&gs_process_visits, gs_process_exists);
}

static void gs_processes_disarm(void)
{
	u32 i;

	gs_visits_close(&gs_process_visits);
	for (i = 0; i < 4; i++)
		if (gs_process_armed & 1 << i)
			unregister_kprobe(&gs_process_kprobes[i]);
	gs_hooks_disarm(gs_process_hooks, ARRAY_SIZE(gs_process_hooks));
	gs_process_armed = 0;
	kvfree(gs_process_hits);
	gs_process_hits = NULL;
}

static void gs_processes_skipped(u64 *skipped)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(gs_process_kprobes); i++)
		skipped[GS_SKIP_BUSY] += READ_ONCE(gs_process_kprobes[i].nmissed);
}

static const struct gs_family gs_family_process = {
	.name = "process", .flags = GS_FAMILY_EVENT, .arm = gs_processes_arm,
	.running = gs_processes_running, .disarm = gs_processes_disarm, .missed = gs_processes_skipped,
};
