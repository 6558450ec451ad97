// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * state.c - the session's state. session.c changes it from START to STOP;
 * handlers request its end.
 */
#include "internal.h"

int gs_state = GS_STATE_LOADED;
bool gs_ending;
u32 gs_flags;
gs_s64 gs_target;
gs_s64 gs_starter;
kuid_t gs_user;
DEFINE_MUTEX(gs_session_mutex);

/**
 * gs_end_session() - ends the session
 * @to: GS_STATE_EXITING or GS_STATE_FAILED
 *
 * Context: Any, NMIs too.
 */
void gs_end_session(int to)
{
	int seen = READ_ONCE(gs_state);

	do {
		if (seen != GS_STATE_STARTING && seen != GS_STATE_RUNNING)
			return;
	} while (!try_cmpxchg(&gs_state, &seen, to));
	gs_message_exit();
}

void gs_exit(struct gs_ctx *c)
{
	gs_end_session(GS_STATE_EXITING);
}
