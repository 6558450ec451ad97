/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_data.h - the values a script works with. Frequent operations are
 * static inline, and specialised by the generated code; the rest is in core/.
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

/* After a call that raised an error: sets the place in the script, unless it is set already. */
gs_inline void gs_near(struct gs_ctx *c, const char *near)
{
	if (!c->error_near || !*c->error_near)
		c->error_near = near;
}

/* Actions that a handler may do before it reschedules, or the clock is read. */
#define GS_ACTIONS_AT_HAND 1000

/* At a handler's beginning: it may do n actions. */
gs_inline void gs_set_actions(struct gs_ctx *c, long n)
{
	c->actions = n < GS_ACTIONS_AT_HAND ? n : GS_ACTIONS_AT_HAND;
	c->more_actions = n - c->actions;
	c->clock = 0;
}

/*
 * Counts an action: 0 if there was none left. The asm hides the count's
 * value from gcc, which would otherwise count before a loop's own condition and
 * need twice the instructions.
 */
gs_inline int gs_action(long *left)
{
	__asm__("" : "+r"(*left));
	return --*left >= 0;
}

/*
 * Called when no actions are left. An interruptible handler reschedules, and gets
 * some more of those that it may do in all; 0: there are none. Another handler
 * may take at most two seconds in all; then the error is raised.
 */
int gs_more_actions(struct gs_ctx *c, long *left, const char *near);

/* Before a call that may recurse: 1 if the nesting is below limit, else raises the error text. */
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
 * n more steps of work on whole arrays: sorting, joining, clearing. If
 * the handler is not interruptible they are limited: 0 if there were none left,
 * and the error has been raised.
 */
int gs_work(struct gs_ctx *c, gs_u64 n, const char *near);
/* The number of times n can be halved: sorting takes as many steps for each of n elements. */
gs_inline gs_u32 gs_log2(gs_u64 n)
{
	return n ? 63 - __builtin_clzll(n) : 0;
}

/* Sets a global from "name=value" (-G): 0, or -1 if there is none so named or value is no number. */
int gs_set_global(const char *assignment);

#endif
