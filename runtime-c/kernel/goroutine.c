// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * goroutine.c - the goroutine whose code is probed. Go's code has it in a
 * register. Go's runtime runs on system stacks, with the goroutine g0, and keeps
 * in struct m which goroutine it works for (src/runtime/HACKING.md in the Go
 * tree).
 */
#include "internal.h"

#define GS_GO_M 48	/* in struct g: the thread that runs it */
#define GS_GO_G0 0	/* in struct m */

gs_s64 gs_goid(struct gs_ctx *c)
{
	const struct gs_point *p = c->point ? gs_point_of(c) : NULL;
	const struct gs_image *image = p ? &gs_program.images[p->image] : NULL;
	u64 g, m, g0, id;

	if (!image || !image->is_go || !image->goid || !c->regs || !gs_regs_of_user(c->regs))
		return -1;
	g = gs_regs_goroutine(c->regs);
	if (gs_read(&m, g + GS_GO_M, sizeof(m), 1) || gs_read(&g0, m + GS_GO_G0, sizeof(g0), 1))
		return -1;
	if (g == g0 && gs_read(&g, m + image->curg, sizeof(g), 1))
		return -1;
	if (!g)
		return 0;
	return gs_read(&id, g + image->goid, sizeof(id), 1) ? -1 : (gs_s64)id;
}
