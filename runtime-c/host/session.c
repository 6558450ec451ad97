// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session.c - runs handlers, and counts errors and skips. There is one thread
 * and one context. Handlers run on four CPUs in turn, so that per-CPU shards are
 * joined as in the kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

#define GS_HOST_CPUS 4

struct gs_session gs_session;
struct gs_ctx gs_ctx;
const char gs_aborted[] = "abort()";
static gs_u64 runs;

gs_u32 gs_ncpus(void)
{
	return GS_HOST_CPUS;
}

int gs_running(void)
{
	return gs_session.state < GS_STATE_EXITING;
}

void gs_exit(struct gs_ctx *c)
{
	(void)c;
	if (gs_running())
		gs_session.state = GS_STATE_EXITING;
}

static gs_u64 total_skipped(void)
{
	gs_u64 n = 0;
	int i;

	for (i = 0; i < GS_NSKIP; i++)
		n += gs_session.skipped[i];
	return n;
}

struct gs_ctx *gs_this_context(void)
{
	return &gs_ctx;
}

void gs_skip(struct gs_ctx *c, gs_u32 kind)
{
	gs_session.skipped[kind]++;
	if (!gs_program.limits.suppress_errors && total_skipped() > gs_program.limits.maxskipped)
		gs_exit(c);
}

const struct gs_point *gs_point_of(struct gs_ctx *c)
{
	return c->point;
}

/* There is no second thread to wait for, or to reschedule to. */
void gs_lock_wait(void)
{
}

void gs_give_way(struct gs_ctx *c)
{
	(void)c;
}

void gs_warn(struct gs_ctx *c, struct gs_str text)
{
	(void)c;
	gs_message(GS_MSG_WARNING, text, NULL, NULL);
}

void gs_suppressed(struct gs_ctx *c, const char *text, const char *near)
{
	(void)c;
	if (++gs_session.errors == 1 && gs_program.limits.first_error)
		gs_message(GS_MSG_WARNING, gs_str_of(text, GS_MESSAGE_MAX), near, NULL);
}

static void report_error(const struct gs_point *p)
{
	const struct gs_limits *limits = &gs_program.limits;
	char text[128];

	if (limits->suppress_errors) {
		gs_suppressed(&gs_ctx, gs_ctx.error, gs_ctx.error_near);
		return;
	}
	gs_session.errors++;
	gs_message(GS_MSG_ERROR, gs_str_of(gs_ctx.error, GS_MESSAGE_MAX), gs_ctx.error_near, p->name);
	if (gs_session.errors <= limits->maxerrors)
		return;
	/* If the first error ends the session, that error is the only message. */
	if (limits->maxerrors && gs_session.errors == limits->maxerrors + 1ULL) {
		snprintf(text, sizeof(text), "MAXERRORS exceeded: more than %u errors; raise it with -DMAXERRORS=%llu",
			 limits->maxerrors, limits->maxerrors * 10ULL);
		gs_message(GS_MSG_ERROR, gs_str_of(text, sizeof(text)), NULL, NULL);
	}
	gs_session.state = GS_STATE_FAILED;
}

void gs_run_point(const struct gs_point *p)
{
	gs_ctx.error = NULL;
	gs_ctx.error_near = NULL;
	gs_ctx.nesting = 0;
	gs_ctx.time = 0;
	gs_ctx.point = p;
	gs_ctx.cpu = runs++ % GS_HOST_CPUS;
	gs_ctx.interruptible = gs_session.state != GS_STATE_RUNNING;
	gs_program.probes[p->probe].handler(&gs_ctx);
	if (gs_ctx.error && gs_ctx.error != gs_aborted)
		report_error(p);
	gs_ctx.point = NULL;
	gs_ctx.time = 0;
}

static int by_sequence(const void *a, const void *b)
{
	const struct gs_point *p = *(const struct gs_point *const *)a, *q = *(const struct gs_point *const *)b;

	if (p->args[0] != q->args[0])
		return p->args[0] < q->args[0] ? -1 : 1;
	return p < q ? -1 : p > q;
}

void gs_run_family(const char *family, int even_if_exiting)
{
	const struct gs_point **points = calloc(gs_program.npoints + 1, sizeof(*points));
	gs_u32 i, n = 0;

	for (i = 0; i < gs_program.npoints; i++)
		if (!strcmp(gs_program.points[i].family, family))
			points[n++] = &gs_program.points[i];
	qsort(points, n, sizeof(*points), by_sequence);
	for (i = 0; i < n && (even_if_exiting || gs_running()); i++)
		gs_run_point(points[i]);
	free(points);
}

int gs_is_myproc(void)
{
	return 1;
}
