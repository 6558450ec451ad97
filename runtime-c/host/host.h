/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - declarations that the host platform's files share.
 */
#ifndef GS_HOST_H
#define GS_HOST_H

#include "gostap.h"
#include "protocol.h"

/* memory.c */
void gs_stack_init(void);

/* session.c */
struct gs_session {
	int state;		    /* GS_STATE_* */
	gs_u64 errors;
	gs_u64 skipped[GS_NSKIP];
	gs_u32 unarmed;
};
extern struct gs_session gs_session;
extern struct gs_ctx gs_ctx;

/* 1 if the session goes on; 0 once it is to end. */
int gs_running(void);
void gs_run_point(const struct gs_point *p);
/* Runs the family's points by ascending args[0]. */
void gs_run_family(const char *family, int even_if_exiting);

/* timer.c */
gs_u64 gs_now(void);
void gs_run_timers(gs_u64 deadline);

/* record.c */
void gs_message(gs_u32 kind, struct gs_str text, const char *near, const char *point);
void gs_write_stats(void);
void gs_flush(void);

/* view.c */
void gs_write_views(void);

#endif
