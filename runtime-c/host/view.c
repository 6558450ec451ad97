// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view.c - writes the globals and the probes' figures at the session's end, of
 * a script that was built with --monitor.
 */
#include <string.h>

#include "host.h"

static char rows[GS_VIEW_MAX];
static gs_size filled;

/* Writes all rows. */
static void write_rows(gs_u32 view)
{
	char *at = filled ? gs_reserve(&gs_ctx, GS_REC_VIEW, 4 + filled) : NULL;

	if (at) {
		GS_U32(at) = view;
		memcpy(at + 4, rows, filled);
		gs_commit(&gs_ctx);
	}
	filled = 0;
}

/* Returns room for a row of up to that size. */
static char *next_row(gs_u32 view, gs_size size)
{
	if (size > sizeof(rows) - filled)
		write_rows(view);
	return rows + filled;
}

/* Joins the CPUs' shards to the whole. */
static void join(const struct gs_view *v)
{
	gs_u32 cpu;

	for (cpu = 0; v->shards && v->shards->first && cpu < gs_ncpus(); cpu++) {
		if (v->array)
			gs_array_join_some(v->array, cpu, ~0u);
		else
			v->join(v->place, (char *)gs_shard(v->shards, cpu) + v->offset);
	}
}

static void write_global(gs_u32 view)
{
	const struct gs_view *v = &gs_program.views[view];
	const struct gs_node *n;

	if (v->row > sizeof(rows))
		return;
	join(v);
	if (!v->array)
		filled = v->pack(next_row(view, v->row), v->place) - rows;
	else
		gs_map_each(n, v->array->map)
			filled = v->pack(next_row(view, v->row), n) - rows;
	write_rows(view);
}

static void write_probes(void)
{
	gs_u32 i;

	for (i = 0; i < gs_program.ntimings; i++) {
		const struct gs_timing *t = &gs_program.timings[i];
		struct gs_probe_figures f = { .hits = t->hits, .total = t->total, .min = t->min, .max = t->max, .off = t->off };

		memcpy(next_row(GS_VIEW_PROBES, sizeof(f)), &f, sizeof(f));
		filled += sizeof(f);
	}
	write_rows(GS_VIEW_PROBES);
}

void gs_write_views(void)
{
	gs_u32 i;

	for (i = 0; i < gs_program.nviews; i++)
		write_global(i);
	write_probes();
}
