// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pids.c - ids of processes, as the consumer counts them: in the pid namespace of
 * the process that has started the session. Handlers count in the initial one.
 */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "internal.h"

static struct pid_namespace *gs_pids;	/* NULL: the initial one */

/* Context: START's, in the consumer. */
void gs_pids_start(void)
{
	struct pid_namespace *ns = task_active_pid_ns(current);

	if (ns != &init_pid_ns)
		gs_pids = get_pid_ns(ns);
}

void gs_pids_stop(void)
{
	if (gs_pids)
		put_pid_ns(gs_pids);
}

/**
 * gs_consumer_pid() - the consumer's id of a task's process
 * @t: the task
 *
 * Context: Any.
 * Return: 0 if it has none.
 */
gs_s64 gs_consumer_pid(const struct task_struct *t)
{
	return gs_pids ? task_tgid_nr_ns((struct task_struct *)t, gs_pids) : t->tgid;
}

/**
 * gs_global_pid() - the id that handlers know a process or thread by
 * @pid: the consumer's
 *
 * Context: Any.
 * Return: 0 if the consumer's namespace has none of that id.
 */
gs_s64 gs_global_pid(gs_s64 pid)
{
	if (!gs_pids)
		return pid;
	if (pid <= 0 || pid > PID_MAX_LIMIT)
		return 0;
	rcu_read_lock();
	pid = pid_nr(find_pid_ns(pid, gs_pids));
	rcu_read_unlock();
	return pid;
}
