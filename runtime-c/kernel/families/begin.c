// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * begin.c - begin, end and error probes: the session runs their handlers, in
 * the order of their sequence numbers (args[0]), then as they are written.
 */
#include <linux/sort.h>

#include "../dispatch.h"

static int gs_compare_sequence(const void *x, const void *y)
{
	const struct gs_point *a = *(const struct gs_point **)x, *b = *(const struct gs_point **)y;

	if (a->args[0] != b->args[0])
		return a->args[0] < b->args[0] ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void gs_begin_run(const struct gs_point **points, u32 n)
{
	u32 i;

	sort(points, n, sizeof(*points), gs_compare_sequence, NULL);
	for (i = 0; i < n && READ_ONCE(gs_state) == GS_STATE_STARTING; i++)
		gs_run_cold(points[i]);
}

static void gs_end_run(const struct gs_point **points, u32 n, bool failed)
{
	u32 i;

	sort(points, n, sizeof(*points), gs_compare_sequence, NULL);
	for (i = 0; i < n && !failed; i++)
		gs_run_cold(points[i]);
}

static void gs_error_run(const struct gs_point **points, u32 n, bool failed)
{
	gs_end_run(points, n, !failed);
}

static const struct gs_family gs_family_begin = { .name = "begin", .begin = gs_begin_run };
static const struct gs_family gs_family_end = { .name = "end", .end = gs_end_run };
static const struct gs_family gs_family_error = { .name = "error", .end = gs_error_run };
/* probe never: checked and translated, but never hit. */
static const struct gs_family gs_family_never = { .name = "never" };
