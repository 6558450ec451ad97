// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * point.c - the addresses of points in the running kernel, and warnings of points
 * that can't be armed.
 */
#include "internal.h"

#define GS_NAMED 32	/* at most so many points that can't be armed are named in warnings */

const gs_u64 *gs_symbols;
static u32 gs_nunarmed;
static bool gs_said_no_ftrace;

/**
 * gs_point_addr() - the address of a point in the running kernel
 * @p: the point
 *
 * Context: Any. Without gs_session_mutex the point's module may be loaded or unloaded meanwhile.
 * Return: the address, 0 if its symbol isn't there.
 */
u64 gs_point_addr(const struct gs_point *p)
{
	u64 addr = p->symbol == GS_NO_SYMBOL ? 0 : READ_ONCE(gs_symbols[p->symbol]);

	return addr ? addr + p->offset : 0;
}

/**
 * gs_unarmed() - warns of a point that can't be armed, and counts it
 * @p: the point; the first are named
 * @err: -errno; a reason that is the same for all points is told once
 *
 * Context: A task, with gs_session_mutex held.
 */
void gs_unarmed(const struct gs_point *p, int err)
{
	static const char no_ftrace[] = "function tracing is switched off in this kernel (kernel.ftrace_enabled is 0), so that "
					"functions can't be probed; sysctl kernel.ftrace_enabled=1 switches it on";
	char text[64] = "the running kernel does not have it";

	lockdep_assert_held(&gs_session_mutex);
	gs_nunarmed++;
	if (err == -EBUSY) {
		if (!gs_said_no_ftrace)
			gs_message(GS_MSG_WARNING, no_ftrace, sizeof(no_ftrace) - 1, NULL, NULL);
		gs_said_no_ftrace = true;
		return;
	}
	if (gs_nunarmed > GS_NAMED)
		return;
	if (err == -ENOSPC)
		strscpy(text, "the processor's debug registers are in use", sizeof(text));
	else if (err != -ENOENT)
		snprintf(text, sizeof(text), "the kernel refuses a probe there (error %d)", -err);
	gs_message(GS_MSG_WARNING, text, strlen(text), NULL, p->name);
}

u32 gs_unarmed_points(void)
{
	return READ_ONCE(gs_nunarmed);
}
