/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visit.h - what runs in a task before that goes on in user space.
 */
#ifndef GS_VISIT_H
#define GS_VISIT_H

#include <linux/list.h>
#include <linux/sched.h>

/* Where the kernel has no such calls for modules, nobody is visited. */
#if GS_HAVE_TASK_WORK && !defined(CONFIG_CFI_CLANG)
#define GS_CAN_VISIT 1
#else
#define GS_CAN_VISIT 0
#endif

/* Somebody's visits. All of it is visit.c's. */
struct gs_visits {
	void (*run)(void);
	struct list_head pending;
	u32 under_way;
	bool open;
	bool used;			/* there have been some */
};

void gs_visits_open(struct gs_visits *v, void (*run)(void));
void gs_visit(struct gs_visits *v, struct task_struct *t);
void gs_visit_existing(struct gs_visits *v, bool (*concerned)(const struct task_struct *t));
void gs_visits_close(struct gs_visits *v);

#endif
