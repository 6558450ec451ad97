// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lock.c - waiting for a lock: MAXTRYLOCK attempts, TRYLOCKDELAY microseconds
 * apart. Then the handler is skipped, so that a deadlock never hangs the machine.
 */
#include "gostap.h"
#include "protocol.h"

static int gs_wait_for(struct gs_ctx *c, struct gs_lock *l, int (*try)(struct gs_lock *l))
{
	gs_u32 attempts = gs_program.limits.maxtrylock;

	while (!try(l)) {
		if (!attempts--) {
			if (!c->in_condition)
				gs_skip(c, GS_SKIP_LOCK);
			return 0;
		}
		gs_lock_wait();
	}
	return 1;
}

int gs_write_lock_slow(struct gs_ctx *c, struct gs_lock *l)
{
	return gs_wait_for(c, l, gs_try_write_lock);
}

int gs_read_lock_slow(struct gs_ctx *c, struct gs_lock *l)
{
	return gs_wait_for(c, l, gs_try_read_lock);
}

static void gs_unlock_below(const struct gs_shards *s, gs_u32 n)
{
	while (n--)
		gs_write_unlock(gs_shard(s, n));
}

int gs_lock_shards(struct gs_ctx *c, const struct gs_shards *s)
{
	gs_u32 i, n = gs_ncpus();

	for (i = 0; i < n; i++) {
		if (!gs_write_lock(c, gs_shard(s, i))) {
			gs_unlock_below(s, i);
			return 0;
		}
	}
	return 1;
}

void gs_unlock_shards(const struct gs_shards *s)
{
	gs_unlock_below(s, gs_ncpus());
}
