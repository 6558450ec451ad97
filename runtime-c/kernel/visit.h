/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visit.h - functions that run in a task before it returns to user space.
 */
#ifndef GS_VISIT_H
#define GS_VISIT_H

#include <linux/list.h>
#include <linux/sched.h>

/* If modules can't use task_work, there are no visits. */
#if GS_HAVE_TASK_WORK && !defined(CONFIG_CFI_CLANG)
#define GS_CAN_VISIT 1
#else
#define GS_CAN_VISIT 0
#endif

/* The visits of a family. Its members are private to visit.c. */
struct gs_visits {
	void (*run)(void);
	struct list_head pending;
	u32 under_way;
	bool open;
	bool used;			/* there has been a visit */
};

void gs_visits_open(struct gs_visits *v, void (*run)(void));
void gs_visit(struct gs_visits *v, struct task_struct *t);
void gs_visit_existing(struct gs_visits *v, bool (*concerned)(const struct task_struct *t));
void gs_visits_close(struct gs_visits *v);

#endif
