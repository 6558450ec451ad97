// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hook.c - callbacks at tracepoints of the kernel, which are looked up by name.
 */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "hook.h"

struct gs_hook_search {
	const char *name;
	struct tracepoint *found;
};

static void gs_hook_look(struct tracepoint *tp, void *data)
{
	struct gs_hook_search *s = data;

	if (!strcmp(tp->name, s->name))
		s->found = tp;
}

/**
 * gs_hook_arm() - registers a callback at a tracepoint
 * @h: the hook, which is not armed
 *
 * Context: A task that may sleep.
 * Return: 0, or -errno: -ENOENT if the kernel has no such tracepoint.
 */
int gs_hook_arm(struct gs_hook *h)
{
	struct gs_hook_search s = { .name = h->name };
	int err;

	for_each_kernel_tracepoint(gs_hook_look, &s);
	if (!s.found)
		return -ENOENT;
	err = tracepoint_probe_register(s.found, h->call, NULL);
	if (!err)
		h->tp = s.found;
	return err;
}

/**
 * gs_hooks_disarm() - unregisters the hooks that are armed; afterwards none of their callbacks runs
 * @all: the hooks
 * @n: how many they are
 *
 * Context: A task that may sleep.
 */
void gs_hooks_disarm(struct gs_hook *all, u32 n)
{
	bool any = false;
	u32 i;

	for (i = 0; i < n; i++) {
		if (!all[i].tp)
			continue;
		tracepoint_probe_unregister(all[i].tp, all[i].call, NULL);
		all[i].tp = NULL;
		any = true;
	}
	if (any)
		tracepoint_synchronize_unregister();
}
