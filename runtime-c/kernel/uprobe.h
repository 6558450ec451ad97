/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uprobe.h - uprobe consumers, shared by the families of instructions and of
 * returns. A point's image is the file, its offset that of the instruction in
 * the file; args[1] is a process's pid, -1 for the target and its descendants,
 * or 0 for all processes.
 */
#ifndef GS_UPROBE_H
#define GS_UPROBE_H

#include <linux/uprobes.h>

#include "dispatch.h"

struct gs_uprobe {
	struct uprobe_consumer consumer;
	struct gs_hit hit;
	u64 offset;			/* in the file */
	struct gs_slot entry;		/* of returns: saves values at the function's entry */
	void (*touch)(const struct gs_regs *regs, u64 ip);	/* struct gs_probe's */
	void (*touch_entry)(const struct gs_regs *regs, u64 ip);
	struct uprobe *uprobe;		/* since 6.12: the kernel's handle */
	bool armed;
};

/* The probes of a family. */
struct gs_uprobes {
	struct gs_uprobe **list;
	u32 n;
};

/* Handlers have different signatures in different kernels. */
#if GS_HAVE_UPROBE_DATA
#define GS_UPROBE_DATA , __u64 *data
#else
#define GS_UPROBE_DATA
#endif

/* Is the current process one that is probed? */
static __always_inline bool gs_uprobe_concerns(const struct gs_uprobe *u)
{
	const struct gs_point *p = u->hit.point;

	return (!p->args[1] || gs_is_process(current, p->args[1])) && (!p->program || gs_runs_program(current, p->program)) &&
	       gs_may_probe(current);
}

int gs_uprobes_init(struct gs_uprobes *all, u32 n);
int gs_uprobe_arm(struct gs_uprobes *all, const struct gs_point *p, u64 offset, void (*prepare)(struct gs_uprobe *u));
void gs_uprobes_update(struct gs_uprobes *all);
void gs_uprobes_disarm(struct gs_uprobes *all);

#endif
