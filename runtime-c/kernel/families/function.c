// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * function.c - function entries, by ftrace, in groups. A function without an
 * ftrace site has a kprobe for each of its points.
 */
#include "../group.h"

static void gs_function_hit(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	gs_run(container_of(ops, struct gs_group, ops)->hits, gs_ftrace_regs(fregs), ip, true);
}

/* If several handlers run, and on Xen. */
static void gs_function_hits(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct gs_group *g = container_of(ops, struct gs_group, ops);
	u32 i;

	for (i = 0; i < g->nhits; i++)
		gs_run(&g->hits[i], gs_ftrace_regs(fregs), ip, false);
}

static int gs_function_make(struct gs_group *g)
{
	u32 i;

	g->ops.func = g->nhits == 1 && gs_native() ? gs_function_hit : gs_function_hits;
	for (i = 0; i < g->nhits; i++)
		if (gs_program.probes[g->hits[i].point->probe].flags & GS_PROBE_REGISTERS)
			g->ops.flags |= FTRACE_OPS_FL_SAVE_REGS;
	return 0;
}

static int gs_function_alone(const struct gs_point *p, u32 n)
{
	return gs_kprobe_arm(p);
}

static struct gs_grouping gs_functions = {
	.make = gs_function_make, .alone = gs_function_alone, .join_min = 16, .images = LIST_HEAD_INIT(gs_functions.images),
};

static int gs_functions_arm(const struct gs_point **points, u32 n)
{
	return gs_groups_arm(&gs_functions, points, n);
}

static void gs_functions_update(void)
{
	gs_groups_update(&gs_functions);
}

static void gs_functions_disarm_in(u32 image)
{
	gs_groups_disarm(&gs_functions, image);
	gs_groups_free(&gs_functions, image);
}

static void gs_functions_disarm(void)
{
	gs_functions_disarm_in(GS_ALL_IMAGES);
}

static const struct gs_family gs_family_function = {
	.name = "function", .arm = gs_functions_arm, .update = gs_functions_update, .disarm = gs_functions_disarm,
	.disarm_module = gs_functions_disarm_in,
};
