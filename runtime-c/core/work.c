// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * work.c - how much a handler may do, where it takes long: loops, and work on
 * whole arrays. Most handlers keep interrupts off, and others spin for the
 * locks that they hold.
 */
#include "gostap.h"

#define GS_ACTIONS_AT_A_TIME 1000

const char gs_no_stack[] = "too little of the kernel's stack is left for another function call";

int gs_more_actions(struct gs_ctx *c, long *left)
{
	long n = c->more_actions < GS_ACTIONS_AT_A_TIME ? c->more_actions : GS_ACTIONS_AT_A_TIME;

	if (n <= 0)
		return 0;
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
