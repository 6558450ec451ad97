/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * existing.h - tasks that are there when the session begins to run.
 */
#ifndef GS_EXISTING_H
#define GS_EXISTING_H

#include "internal.h"

void gs_existing_visit(bool (*concerned)(const struct task_struct *t), void (*visit)(void));
void gs_existing_leave(void);

#endif
