// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracepoint.c - the kernel's tracepoints. A point's symbol is its struct
 * tracepoint. A tracepoint passes its arguments by the calling convention, after
 * the probe's data: one callback serves all tracepoints, and the handler reads the
 * arguments as it needs them.
 */
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "../dispatch.h"

struct gs_trace {
	struct tracepoint *tp;
	struct gs_hit hit;
	bool armed;
};

static struct gs_trace **gs_traces;	/* those that the kernel has */
static u32 gs_ntraces;

/*
 * The handler's registers are those of the traced function after its call of the
 * callback, as far as calls preserve them, and those of the arguments.
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
	regs.cs = 0;			/* the registers do not exist otherwise: see registers.stp */
	gs_run(&t->hit, (struct pt_regs *)&regs, regs.ip, false);
}

/* Arms or disarms a point, by its condition; does not wait for handlers that run. 0 or -errno. */
static int gs_trace_set(struct gs_trace *t, bool wanted)
{
	int err = 0;

	if (wanted && !t->armed)
		err = tracepoint_probe_register(t->tp, (void *)gs_trace_hit, t);
	else if (!wanted && t->armed)
		tracepoint_probe_unregister(t->tp, (void *)gs_trace_hit, t);
	if (!err)
		t->armed = wanted;
	return err;
}

/* 0 or -ENOMEM. If the kernel refuses the point, gs_unarmed() is called. */
static int gs_trace_arm(const struct gs_point *p)
{
	struct gs_trace *t;
	int err = -ENOENT;

	if (!gs_traces)
		gs_traces = kvcalloc(gs_program.npoints, sizeof(*gs_traces), GFP_KERNEL);
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!gs_traces || !t) {
		kfree(t);
		return -ENOMEM;
	}
	t->tp = (struct tracepoint *)gs_point_addr(p);
	t->hit = gs_hit_of(p);
	if (t->tp)
		err = gs_trace_set(t, gs_wanted(t->hit.slot));
	if (!err) {
		gs_traces[gs_ntraces++] = t;
		return 0;
	}
	kfree(t);
	if (err == -ENOMEM)
		return err;
	gs_unarmed(p, err);
	return 0;
}

static int gs_traces_arm(const struct gs_point **points, u32 n)
{
	int err = 0;
	u32 i;

	for (i = 0; i < n && !err; i++)
		err = gs_trace_arm(points[i]);
	return err;
}

static void gs_traces_update(void)
{
	u32 i;
	int err;

	for (i = 0; i < gs_ntraces; i++) {
		err = gs_trace_set(gs_traces[i], gs_wanted(gs_traces[i]->hit.slot));
		if (err)
			gs_unarmed(gs_traces[i]->hit.point, err);
	}
}

/* Frees all but the first n, which are no longer called once it waits. */
static void gs_free_traces(u32 n)
{
	if (gs_ntraces > n)
		tracepoint_synchronize_unregister();
	while (gs_ntraces > n)
		kfree(gs_traces[--gs_ntraces]);
}

static void gs_traces_disarm_module(u32 image)
{
	u32 i = 0, n = gs_ntraces;

	while (i < n)
		if (gs_traces[i]->hit.point->image == image) {
			gs_trace_set(gs_traces[i], false);
			n--;
			swap(gs_traces[i], gs_traces[n]);
		} else {
			i++;
		}
	gs_free_traces(n);
}

static void gs_traces_disarm(void)
{
	u32 i;

	for (i = 0; i < gs_ntraces; i++)
		gs_trace_set(gs_traces[i], false);
	gs_free_traces(0);
	kvfree(gs_traces);
	gs_traces = NULL;
}

static const struct gs_family gs_family_tracepoint = {
	.name = "tracepoint", .flags = GS_FAMILY_EVENT, .arm = gs_traces_arm, .update = gs_traces_update, .disarm = gs_traces_disarm,
	.disarm_module = gs_traces_disarm_module,
};
