/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook.h - tracepoints that the runtime itself needs, beside those that scripts probe.
 */
#ifndef GS_HOOK_H
#define GS_HOOK_H

#include <linux/types.h>

struct tracepoint;

struct gs_hook {
	const char *name;		/* the tracepoint's */
	void *call;			/* the callback; its first argument is NULL, the tracepoint's follow */
	struct tracepoint *tp;		/* while it is armed */
};

int gs_hook_arm(struct gs_hook *h);
void gs_hooks_disarm(struct gs_hook *all, u32 n);

#endif
