// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * step.c - every instruction that processes execute, or every block of them, by
 * the processor's trap flag. args[0] is one of enum gs_step_unit, args[1] a pid as
 * for the family process; the image is the program that they must run.
 *
 * A handler runs before the instruction, in the task, as it returns to user space:
 * after the exception by which the processor reports the last instruction, after
 * a system call, before a signal's handler. Exceptions are hooked by the kernel's
 * chain of notifiers. The flag must be gone from all tasks before the module is:
 * the exception would be a signal that ends the program.
 */
#include <linux/kdebug.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/uprobes.h>
#include <asm/debugreg.h>

#include "../dispatch.h"
#include "../hook.h"
#include "../stepped.h"
#include "../trapflag.h"
#include "../visit.h"

enum gs_step_unit { GS_STEP_INSN = 1, GS_STEP_BLOCK };

static struct gs_hit *gs_step_hits;
static u32 gs_nstep_hits;
static struct gs_visits gs_step_visits;

static bool gs_step_concerns(const struct gs_point *p, const struct task_struct *t)
{
	s64 pid = p->args[1] ?: p->image ? 0 : -1;

	return (!pid || gs_is_process(t, pid)) && gs_runs_program(t, p->image) && gs_may_probe(t);
}

static bool gs_is_stepped(const struct task_struct *t)
{
	u32 i;

	for (i = 0; t->mm && !(t->flags & (PF_KTHREAD | PF_IO_WORKER)) && i < gs_nstep_hits; i++)
		if (gs_step_concerns(gs_step_hits[i].point, t))
			return true;
	return false;
}

/* Handlers run before an instruction; arrived if it begins a block. */
static void gs_step_happens(struct pt_regs *regs, bool arrived)
{
	u32 i;

	for (i = 0; i < gs_nstep_hits; i++) {
		const struct gs_point *p = gs_step_hits[i].point;

		if (p->args[0] == GS_STEP_BLOCK && !arrived || !gs_step_concerns(p, current))
			continue;
		if (gs_program.probes[p->probe].touch)
			gs_program.probes[p->probe].touch((struct gs_regs *)regs, regs->ip);
		gs_run(&gs_step_hits[i], regs, regs->ip, false);
	}
}

/* In the current task, on its way to user space. */
static void gs_step_on(struct gs_stepped *s)
{
	struct pt_regs *regs = task_pt_regs(current);
	bool again = s->resumes && regs->ip == s->interrupted;
	bool arrived = s->arrived || gs_instruction_left(&s->last, regs->ip);

	if (current->utask && current->utask->active_uprobe)
		return;	/* a uprobe executes the instruction elsewhere, step by step */
	gs_instruction_mend(&s->last, regs);
	s->resumes = s->arrived = false;
	if (!again)
		gs_step_happens(regs, arrived);
	gs_instruction_look(&s->last, regs);
	gs_stepped_go_on(s, regs);
}

static void gs_step_work(struct callback_head *work)
{
	struct gs_stepped *s = container_of(work, struct gs_stepped, work);
	bool forget;

	if (!gs_stepped_begin_work(s))
		return;
	forget = s->exited || s->executed && !gs_is_stepped(current);
	s->executed = false;
	if (!forget && !(current->flags & PF_EXITING))
		gs_step_on(s);
	gs_stepped_end_work(s, forget);
}

/* In a task that begins to be stepped. */
static void gs_step_visited(void)
{
	struct gs_stepped *s;

	rcu_read_lock();
	s = gs_stepped_of(current);
	rcu_read_unlock();
	if (s || current->flags & PF_EXITING || !gs_is_stepped(current))
		return;
	s = gs_stepped_add(gs_step_work);
	if (s)
		gs_step_on(s);
	else
		gs_skip_here(GS_SKIP_MEMORY);
}

/* A debugger that steps the task gets its signal. */
static bool gs_debugger_steps(void)
{
#ifdef SYSCALL_WORK_SYSCALL_EXIT_TRAP
	return test_syscall_work(SYSCALL_EXIT_TRAP);
#else
	return test_thread_flag(TIF_SINGLESTEP);
#endif
}

static int gs_step_trapped(struct gs_stepped *s, unsigned long *dr6)
{
	bool xol = current->utask && current->utask->active_uprobe;

	if (!(*dr6 & DR_STEP))
		return NOTIFY_DONE;
	gs_stepped_queue(s);
	/* After the session's end the flag is cleared where it is met. */
	if (!READ_ONCE(gs_stepping) && !xol)
		gs_stepped_clear(s);
	if (xol || gs_debugger_steps())
		return NOTIFY_DONE;
	*dr6 &= ~DR_STEP;
	current->thread.virtual_dr6 &= ~DR_STEP;
	return *dr6 & DR_TRAP_BITS ? NOTIFY_DONE : NOTIFY_STOP;
}

/* The processor's exceptions. Interrupts are off. */
static int gs_step_excepted(struct notifier_block *nb, unsigned long kind, void *data)
{
	struct die_args *args = data;
	int what = NOTIFY_DONE;
	struct gs_stepped *s;

	if (!args->regs || !user_mode(args->regs))
		return what;
	rcu_read_lock();
	s = gs_stepped_of(current);
	if (s && kind == DIE_DEBUG) {
		what = gs_step_trapped(s, (unsigned long *)args->err);
	} else if (s && kind == DIE_INT3) {
		/* A uprobe. If it steps the instruction, it must not take the flag for the program's own. */
		gs_stepped_clear(s);
		gs_stepped_queue(s);
	}
	rcu_read_unlock();
	return what;
}

static struct notifier_block gs_step_exceptions = {
	.notifier_call = gs_step_excepted,
	.priority = INT_MAX,	/* before uprobes */
};

/* Called in the parent; the child has not run yet. */
static void gs_step_forks(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (gs_is_stepped(child))
		gs_visit(&gs_step_visits, child);
}

static void gs_step_executes(void *data, struct task_struct *task, pid_t old, struct linux_binprm *bprm)
{
	struct gs_stepped *s;

	gs_programs_await();
	rcu_read_lock();
	s = gs_stepped_of(current);
	if (s)
		s->executed = s->arrived = true;	/* gs_step_returns() follows */
	else if (gs_is_stepped(current))
		gs_visit(&gs_step_visits, current);
	rcu_read_unlock();
}

static void gs_step_returns(void *data, struct pt_regs *regs, long result)
{
	struct gs_stepped *s;

	rcu_read_lock();
	s = gs_stepped_of(current);
	if (s) {
		gs_trapflag_hide(regs);
		s->resumes |= (long)regs->orig_ax == -1;	/* sigreturn */
		gs_stepped_queue(s);
	}
	rcu_read_unlock();
}

/* The frame of a signal's handler must not hold the flag. */
static void gs_step_signalled(void *data, int number, struct kernel_siginfo *info, struct k_sigaction *action)
{
	struct gs_stepped *s;

	rcu_read_lock();
	s = gs_stepped_of(current);
	if (s) {
		gs_stepped_clear(s);
		s->resumes = s->arrived = true;
		s->interrupted = task_pt_regs(current)->ip;
		gs_stepped_queue(s);
	}
	rcu_read_unlock();
}

static void gs_step_exits(void *data, struct task_struct *task)
{
	gs_stepped_exits();
}

static struct gs_hook gs_step_hooks[] = {
	{ "sched_process_fork", gs_step_forks },
	{ "sched_process_exec", gs_step_executes },
	{ "sched_process_exit", gs_step_exits },
	{ "sys_exit", gs_step_returns },
	{ "signal_deliver", gs_step_signalled },
};

/* 0 or -errno. The hooks allocate memory, which they can't under PREEMPT_RT. */
static int gs_steps_watch(void)
{
	int err = 0;
	u32 i;

	if (!GS_CAN_VISIT || IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EOPNOTSUPP;
	gs_visits_open(&gs_step_visits, gs_step_visited);
	WRITE_ONCE(gs_stepping, true);
	register_die_notifier(&gs_step_exceptions);
	for (i = 0; i < ARRAY_SIZE(gs_step_hooks) && !err; i++)
		err = gs_hook_arm(&gs_step_hooks[i]);
	return err;
}

/* 0 or -ENOMEM. For points that can't be hit, gs_unarmed() is called. */
static int gs_steps_arm(const struct gs_point **points, u32 n)
{
	int err;
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	gs_step_hits = kvcalloc(n, sizeof(*gs_step_hits), GFP_KERNEL);
	if (!gs_step_hits)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		gs_step_hits[i] = gs_hit_of(points[i]);
	gs_nstep_hits = n;
	err = gs_steps_watch();
	for (i = 0; err && i < n; i++)
		gs_unarmed(points[i], err);
	return err == -ENOMEM ? err : 0;
}

static void gs_steps_running(void)
{
	if (gs_stepping)
		gs_visit_existing(&gs_step_visits, gs_is_stepped);
}

static void gs_steps_disarm(void)
{
	lockdep_assert_held(&gs_session_mutex);
	if (gs_stepping) {
		gs_visits_close(&gs_step_visits);
		gs_stepped_stop();
		gs_hooks_disarm(gs_step_hooks, ARRAY_SIZE(gs_step_hooks));
		unregister_die_notifier(&gs_step_exceptions);
		gs_stepped_abandon();
	}
	gs_nstep_hits = 0;
	kvfree(gs_step_hits);
	gs_step_hits = NULL;
}

static const struct gs_family gs_family_step = {
	.name = "step", .flags = GS_FAMILY_EVENT, .arm = gs_steps_arm,
	.running = gs_steps_running, .disarm = gs_steps_disarm,
};
