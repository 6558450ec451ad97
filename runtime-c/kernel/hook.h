/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook.h - tracepoints of the kernel's that a family needs for itself.
 */
#ifndef GS_HOOK_H
#define GS_HOOK_H

#include <linux/types.h>

struct tracepoint;

struct gs_hook {
	const char *name;		/* the tracepoint's */
	void *call;			/* with NULL before its arguments */
	struct tracepoint *tp;		/* while it is armed */
};

int gs_hook_arm(struct gs_hook *h);
void gs_hooks_disarm(struct gs_hook *all, u32 n);

#endif
