/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stepped.h - the tasks whose instructions are probed.
 */
#ifndef GS_STEPPED_H
#define GS_STEPPED_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/task_work.h>

#include "trapflag.h"

/* A task that is stepped. */
struct gs_stepped {
	struct callback_head work;	/* the first member, as kfree() may be called with its address */
	struct hlist_node by_task;	/* under gs_steps_lock; looked up under RCU */
	struct rcu_head rcu;
	struct task_struct *task;	/* it is in the hash table until it exits, at the latest */
	struct gs_instruction last;	/* for which handlers have run */
	u64 interrupted;		/* the address that the last signal handler returns to */
	bool queued;			/* work is */
	bool working;			/* it runs */
	bool flagged;			/* gs_stepped_go_on() has set the flag; cleared by the task itself */
	bool abandoned;			/* the session has ended, and work, which is queued, is only to free this */
	bool resumes;			/* a signal's handler begins or has returned */
	bool arrived;			/* the instruction begins a block, whatever the last one was */
	bool executed;			/* a new program, which may not be one that is stepped */
	bool exited;
};

extern bool gs_stepping;

struct gs_stepped *gs_stepped_of(const struct task_struct *t);
struct gs_stepped *gs_stepped_add(task_work_func_t work);
void gs_stepped_queue(struct gs_stepped *s);
bool gs_stepped_begin_work(struct gs_stepped *s);
void gs_stepped_end_work(struct gs_stepped *s, bool forget);
void gs_stepped_go_on(struct gs_stepped *s, struct pt_regs *regs);
void gs_stepped_clear(struct gs_stepped *s);
void gs_stepped_exits(void);
void gs_stepped_stop(void);
void gs_stepped_abandon(void);

#endif
