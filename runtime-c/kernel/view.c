// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view.c - for scripts that are built for it (--monitor): reads the globals and
 * the probes' figures of a running session, resets the globals, and switches
 * probes off and on.
 *
 * Handlers wait for a global's lock with interrupts off, so a lock is held for
 * at most GS_VIEW_STEP elements at a time, and with this CPU's context taken, as
 * in a handler: probes that are hit meanwhile on this CPU are skipped and can't
 * deadlock. If a lock can't be had, other tasks run before the next attempt.
 *
 * Of globals that each CPU has a shard of, the shards are joined to the whole,
 * one at a time, before the whole is read. Handlers that use the whole hold the
 * locks of all shards, so the lock of one shard suffices. So a sum never
 * decreases from one reading to the next.
 */
#include <linux/delay.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "dispatch.h"

#define GS_VIEW_STEP 64
#define GS_VIEW_TRIES 1000	/* attempts at a lock */

/* What is held during a step. */
struct gs_view_turn {
	struct gs_ctx *c;
	unsigned long flags;
	struct gs_lock *lock;	/* NULL: none */
	bool write;
};

/* Tries to take this CPU's context and a lock. On success, interrupts are off. */
static bool gs_try_begin(struct gs_view_turn *t)
{
	local_irq_save(t->flags);
	t->c = &this_cpu_ptr(gs_cpus)->ctx;
	if ((s32)t->c->busy < 0)
		goto out;
	gs_take(t->c);
	if (!t->lock || (t->write ? gs_try_write_lock(t->lock) : gs_try_read_lock(t->lock)))
		return true;
	gs_leave(t->c);
out:
	local_irq_restore(t->flags);
	return false;
}

/* -EAGAIN: handlers had the lock at each attempt. */
static int gs_begin_turn(struct gs_view_turn *t, struct gs_lock *lock, bool write)
{
	int tries;

	lockdep_assert_held(&gs_session_mutex);
	t->lock = lock;
	t->write = write;
	for (tries = 0; tries < GS_VIEW_TRIES; tries++) {
		if (gs_try_begin(t))
			return 0;
		usleep_range(20, 100);
	}
	return -EAGAIN;
}

static void gs_end_turn(struct gs_view_turn *t)
{
	if (t->lock && t->write)
		gs_write_unlock(t->lock);
	else if (t->lock)
		gs_read_unlock(t->lock);
	gs_leave(t->c);
	local_irq_restore(t->flags);
	cond_resched();
}

/* The lock that excludes handlers that use the whole. */
static struct gs_lock *gs_view_lock(const struct gs_view *v)
{
	return v->shards ? gs_shard(v->shards, 0) : v->lock;
}

/* Joins a CPU's shard to the whole; what its handlers add meanwhile stays in the shard. */
static int gs_join_shard(const struct gs_view *v, u32 cpu)
{
	struct gs_lock *lock = gs_shard(v->shards, cpu);
	u32 left = v->array ? v->array->max : 0;
	struct gs_view_turn t;
	bool more;
	int err;

	do {
		err = gs_begin_turn(&t, lock, true);
		if (err)
			return err;
		if (v->array)
			more = gs_array_join_some(v->array, cpu, GS_VIEW_STEP);
		else
			v->join(v->place, (char *)lock + v->offset);
		gs_end_turn(&t);
		left -= min_t(u32, left, GS_VIEW_STEP);
	} while (v->array && more && left);
	return 0;
}

static int gs_join_shards(const struct gs_view *v)
{
	u32 cpu;
	int err = 0;

	for (cpu = 0; v->shards && v->shards->first && !err && cpu < gs_ncpus(); cpu++)
		err = gs_join_shard(v, cpu);
	return err;
}

/* Writes rows of up to GS_VIEW_STEP elements, as many as fit. False once no more fit. */
static bool gs_pack_some(const struct gs_view *v, u32 *from, char **at, const char *end)
{
	const struct gs_map *m = v->array->map;
	u32 n;

	for (n = 0; n < GS_VIEW_STEP && *from < m->used; n++, ++*from) {
		const struct gs_node *node = (const void *)(m->nodes + *from * m->node_size);

		if (node->dead)
			continue;
		if (end - *at < v->row)
			return false;
		*at = v->pack(*at, node);
	}
	return true;
}

/* Writes the rows from *from on, up to the end, as many as fit. */
static int gs_pack_rows(const struct gs_view *v, u32 *from, char **at, const char *end)
{
	struct gs_view_turn t;
	bool room = true;
	int err;

	while (room && *from != GS_VIEW_END) {
		err = gs_begin_turn(&t, gs_view_lock(v), false);
		if (err)
			return err;
		if (v->array)
			room = gs_pack_some(v, from, at, end);
		else
			*at = v->pack(*at, v->place);
		if (!v->array || *from >= v->array->map->used)
			*from = GS_VIEW_END;
		gs_end_turn(&t);
	}
	return 0;
}

static int gs_read_global(u32 view, u32 *from, char **at, const char *end)
{
	const struct gs_view *v;
	int err;

	if (view >= gs_program.nviews)
		return -EINVAL;
	v = &gs_program.views[view];
	if (end - *at < v->row)
		return -EMSGSIZE;
	if (mutex_lock_killable(&gs_session_mutex))
		return -EINTR;
	err = READ_ONCE(gs_state) < GS_STATE_RUNNING ? -EAGAIN : 0;
	if (!err && !*from)
		err = gs_join_shards(v);
	if (!err)
		err = gs_pack_rows(v, from, at, end);
	mutex_unlock(&gs_session_mutex);
	return err;
}

static void gs_read_probes(u32 *from, char **at, const char *end)
{
	while (*from < gs_program.ntimings && end - *at >= sizeof(struct gs_probe_figures)) {
		const struct gs_timing *t = &gs_program.timings[(*from)++];
		struct gs_probe_figures f = {
			.hits = READ_ONCE(t->hits),
			.total = READ_ONCE(t->total),
			.min = READ_ONCE(t->min),
			.max = READ_ONCE(t->max),
			.off = READ_ONCE(t->off),
		};

		memcpy(*at, &f, sizeof(f));
		*at += sizeof(f);
	}
	if (*from >= gs_program.ntimings)
		*from = GS_VIEW_END;
}

/**
 * gs_view_read() - GS_IOC_VIEW
 * @arg: the request, with the buffer for the result
 *
 * Context: A task that may sleep.
 * Return: 0 or -errno.
 */
long gs_view_read(struct gs_view_read __user *arg)
{
	struct gs_view_read how;
	char *rows, *at;
	long err = 0;

	if (copy_from_user(&how, arg, sizeof(how)))
		return -EFAULT;
	if (how.pad)
		return -EINVAL;
	how.size = min_t(u32, how.size, GS_VIEW_MAX);
	rows = at = kvmalloc(how.size + 1, GFP_KERNEL_ACCOUNT);
	if (!rows)
		return -ENOMEM;
	if (how.view == GS_VIEW_PROBES)
		gs_read_probes(&how.from, &at, rows + how.size);
	else
		err = gs_read_global(how.view, &how.from, &at, rows + how.size);
	how.size = at - rows;
	if (!err && (copy_to_user((void __user *)(unsigned long)how.to, rows, how.size) || copy_to_user(arg, &how, sizeof(how))))
		err = -EFAULT;
	kvfree(rows);
	return err;
}

/* Resets a part of a global, under its lock: the whole, or a CPU's shard. */
static int gs_reset_part(const struct gs_view *v, struct gs_lock *lock, struct gs_map *map, void *scalar, const void *to)
{
	struct gs_view_turn t;
	int err = gs_begin_turn(&t, lock, true);

	if (err)
		return err;
	if (v->array)
		gs_map_clear(map);
	else if (to)
		memcpy(scalar, to, v->size);
	else
		memset(scalar, 0, v->size);
	gs_end_turn(&t);
	return 0;
}

static int gs_reset_global(const struct gs_view *v)
{
	const struct gs_array *a = v->array;
	int err = 0;
	u32 cpu;

	for (cpu = 0; v->shards && v->shards->first && !err && cpu < gs_ncpus(); cpu++) {
		char *shard = gs_shard(v->shards, cpu);

		err = gs_reset_part(v, (struct gs_lock *)shard, a ? (struct gs_map *)(shard + a->offset) : NULL, shard + v->offset, NULL);
	}
	return err ?: gs_reset_part(v, gs_view_lock(v), a ? a->map : NULL, v->place, v->first);
}

long gs_view_reset(void)
{
	int err = -EAGAIN;
	u32 i;

	if (mutex_lock_killable(&gs_session_mutex))
		return -EINTR;
	if (READ_ONCE(gs_state) == GS_STATE_RUNNING) {
		err = 0;
		for (i = 0; i < gs_program.nviews && !err; i++)
			err = gs_reset_global(&gs_program.views[i]);
		gs_conditions_changed();
	}
	mutex_unlock(&gs_session_mutex);
	return err;
}

long gs_view_switch(unsigned long probe, bool off)
{
	if (probe >= gs_program.ntimings)
		return -EINVAL;
	WRITE_ONCE(gs_program.timings[probe].off, off);
	return 0;
}

/* Copies the initial values of scalars, for resetting: -G has set them, and no handler has run. */
void gs_views_start(void)
{
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	for (i = 0; i < gs_program.nviews; i++) {
		const struct gs_view *v = &gs_program.views[i];

		if (!v->array)
			memcpy(v->first, v->place, v->size);
	}
}
