// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracepoint.c - the kernel's tracepoints. A point's symbol is its struct
 * tracepoint. What a tracepoint passes lies where the calling convention has
 * it, the probe's own data first: one function takes them all, and leaves it
 * to the handler to know what they are.
 */
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "../dispatch.h"

struct gs_trace {
	struct tracepoint *tp;
	struct gs_hit hit;
};

static struct gs_trace *gs_traces;
static u32 gs_ntraces;			/* the armed ones, which stand first */

/*
 * The registers that the handler sees are those of the traced function behind
 * its call of us, as far as calls keep them, with the arguments.
 */
static void gs_trace_hit(void *data, u64 si, u64 dx, u64 cx, u64 r8, u64 r9)
{
	const u64 *frame = __builtin_frame_address(0);
	struct gs_trace *t = data;
	struct gs_regs regs;

	regs.ax = 0;
	regs.di = (u64)data;
	regs.si = si;
	regs.dx = dx;
	regs.cx = cx;
	regs.r8 = r8;
	regs.r9 = r9;
	regs.bp = frame[0];
	regs.ip = frame[1];
	regs.sp = (u64)(frame + 2);
	regs.cs = 0;			/* the others are not there: see registers.stp */
	gs_run(&t->hit, (struct pt_regs *)&regs, regs.ip, false);
}

static int gs_traces_arm(const struct gs_point **points, u32 n)
{
	u32 i;

	gs_traces = kvcalloc(n, sizeof(*gs_traces), GFP_KERNEL);
	if (!gs_traces)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		struct gs_trace *t = &gs_traces[gs_ntraces];
		int err = -ENOENT;

		t->tp = (struct tracepoint *)gs_point_addr(points[i]);
		t->hit = gs_hit_of(points[i]);
		if (t->tp)
			err = tracepoint_probe_register(t->tp, (void *)gs_trace_hit, t);
		if (err == -ENOMEM)
			return err;
		if (err)
			gs_unarmed(points[i], err);
		else
			gs_ntraces++;
	}
	return 0;
}

static void gs_traces_disarm(void)
{
	if (!gs_traces)
		return;
	while (gs_ntraces) {
		struct gs_trace *t = &gs_traces[--gs_ntraces];

		tracepoint_probe_unregister(t->tp, (void *)gs_trace_hit, t);
	}
	tracepoint_synchronize_unregister();
	kvfree(gs_traces);
	gs_traces = NULL;
}

static const struct gs_family gs_family_tracepoint = {
	.name = "tracepoint", .arm = gs_traces_arm, .disarm = gs_traces_disarm,
};
