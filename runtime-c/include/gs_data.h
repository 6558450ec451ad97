/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_data.h - the values a script works with. What a handler does often is
 * static inline and specialised by the generated code; the rest is in core/.
 */
#ifndef GS_DATA_H
#define GS_DATA_H

#include "gs_number.h"
#include "gs_string.h"
#include "gs_lock.h"
#include "gs_stat.h"
#include "gs_map.h"
#include "gs_array.h"
#include "gs_view.h"
#include "gs_format.h"
#include "gs_regex.h"

/* At the site of a call that raised an error: says where, unless the error knows better. */
gs_inline void gs_near(struct gs_ctx *c, const char *near)
{
	if (!c->error_near || !*c->error_near)
		c->error_near = near;
}

/* How many actions a handler has at hand before others have run, or a clock has been looked at. */
#define GS_ACTIONS_AT_HAND 1000

/* A handler may do n actions, at its beginning. */
gs_inline void gs_set_actions(struct gs_ctx *c, long n)
{
	c->actions = n < GS_ACTIONS_AT_HAND ? n : GS_ACTIONS_AT_HAND;
	c->more_actions = n - c->actions;
	c->clock = 0;
}

/*
 * Counts an action: 0 if there was none left. The asm, which hides what is
 * known of the count, keeps gcc from counting ahead of a loop's own condition:
 * it would take twice the instructions.
 */
gs_inline int gs_action(long *left)
{
	__asm__("" : "+r"(*left));
	return --*left >= 0;
}

/*
 * No actions are left at hand. A handler that is interruptible lets others
 * run, and takes some more of those that it may do; 0: there are none. Another
 * one may take no more than two seconds; beyond them the error has been raised.
 */
int gs_more_actions(struct gs_ctx *c, long *left, const char *near);

/* Before a call that may recurse: 1 if there is room for another. text is the error when limit is reached. */
extern const char gs_no_stack[];
gs_inline int gs_enter(struct gs_ctx *c, gs_u32 limit, const char *text, const char *near)
{
	if (gs_unlikely(c->nesting >= limit || !gs_stack_suffices(c))) {
		gs_raise(c, c->nesting >= limit ? text : gs_no_stack, near);
		return 0;
	}
	c->nesting++;
	return 1;
}

/*
 * n more steps of work on whole arrays: sorting, joining, clearing. Where
 * others wait for the handler to end they are limited: 0 if there were none
 * left, and the error has been raised.
 */
int gs_work(struct gs_ctx *c, gs_u64 n, const char *near);
/* How often n can be halved: what sorting takes for each of n elements. */
gs_inline gs_u32 gs_log2(gs_u64 n)
{
	return n ? 63 - __builtin_clzll(n) : 0;
}

/* Sets a global from "name=value" (-G): 0, or -1 if there is none so named or value is no number. */
int gs_set_global(const char *assignment);

#endif
