/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_process.h - the processes that a session is about. Included by gostap.h.
 */
#ifndef GS_PROCESS_H
#define GS_PROCESS_H

/* target(): the pid of -x or -c. Set by the platform before any handler runs. */
extern gs_s64 gs_target;

/* The consumer's id of a task's process, and the id in the initial namespace of a task that the consumer knows by another. */
struct task_struct;
gs_s64 gs_consumer_pid(const struct task_struct *t);
gs_s64 gs_global_pid(gs_s64 pid);

/* stp_pid(): the process that has started the session. */
extern gs_s64 gs_starter;

#endif
