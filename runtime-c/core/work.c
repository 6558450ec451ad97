// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * work.c - limits of handlers that take long: loops, and work on whole arrays.
 * Most handlers run with interrupts off, and others spin for the locks that they
 * hold.
 */
#include "gostap.h"

/* So many more actions at a time are granted to a handler with interrupts off: each may search 64 KiB. */
#define GS_ACTIONS_HOT 20

/* The time that such a handler may take beyond its first actions, and the most of it that one grant counts for. */
#define GS_LONG_NS 2000000000ull
#define GS_LONG_PART_NS 200000000ull

const char gs_no_stack[] = "too little of the kernel's stack is left for another function call";

/*
 * An action may be an addition or a search in 64 KiB, so the number of actions
 * says little about their time. A virtual CPU's clock advances while the hypervisor
 * runs something else: if that happens once, it must not end a session.
 */
static int gs_takes_long(struct gs_ctx *c)
{
	gs_u64 now = gs_ns(), part = now - c->clock;

	if (!c->clock)
		c->taken = 0;
	else
		c->taken += part < GS_LONG_PART_NS ? part : GS_LONG_PART_NS;
	c->clock = now;
	return c->taken > GS_LONG_NS;
}

int gs_more_actions(struct gs_ctx *c, long *left, const char *near)
{
	long most = c->interruptible ? GS_ACTIONS_AT_HAND : GS_ACTIONS_HOT;
	long n = c->more_actions < most ? c->more_actions : most;

	if (n <= 0)
		return 0;
	if (!c->interruptible && gs_takes_long(c)) {
		gs_raise(c, gs_program.limits.too_long, near);
		return 0;
	}
	gs_give_way(c);
	c->more_actions -= n;
	*left = n - 1;
	return 1;
}

int gs_work(struct gs_ctx *c, gs_u64 n, const char *near)
{
	if (c->interruptible)
		return 1;
	if (n > (gs_u64)c->steps) {
		gs_raise(c, gs_program.limits.too_many_steps, near);
		return 0;
	}
	c->steps -= n;
	return 1;
}
