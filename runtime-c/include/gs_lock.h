/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_lock.h - the locks of a script's globals. A handler takes all that it needs
 * before it does anything, in ascending order, and holds them until its end.
 * Interrupts are off in handlers, so a lock is only ever held by another CPU.
 */
#ifndef GS_LOCK_H
#define GS_LOCK_H

struct gs_lock {
	gs_u32 word;		    /* GS_WRITER, or the number of readers */
} __attribute__((aligned(64)));
#define GS_WRITER 0x80000000u

/*
 * 1 if the lock was taken. 0 if it could not be taken within the limits:
 * gs_skip() has been called, unless a condition is evaluated, and the
 * handler must not run.
 */
int gs_write_lock_slow(struct gs_ctx *c, struct gs_lock *l);
int gs_read_lock_slow(struct gs_ctx *c, struct gs_lock *l);

/* Acquire pairs with the release of the previous holder. */
gs_inline int gs_try_write_lock(struct gs_lock *l)
{
	gs_u32 free = 0;

	return __atomic_compare_exchange_n(&l->word, &free, GS_WRITER, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

gs_inline int gs_write_lock(struct gs_ctx *c, struct gs_lock *l)
{
	return gs_likely(gs_try_write_lock(l)) || gs_write_lock_slow(c, l);
}

/* While there is a writer, no other CPU changes the word, so a store releases it. */
gs_inline void gs_write_unlock(struct gs_lock *l)
{
	__atomic_store_n(&l->word, 0, __ATOMIC_RELEASE);
}

gs_inline int gs_try_read_lock(struct gs_lock *l)
{
	gs_u32 seen = __atomic_load_n(&l->word, __ATOMIC_RELAXED);

	return !(seen & GS_WRITER) &&
	       __atomic_compare_exchange_n(&l->word, &seen, seen + 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

gs_inline int gs_read_lock(struct gs_ctx *c, struct gs_lock *l)
{
	return gs_likely(gs_try_read_lock(l)) || gs_read_lock_slow(c, l);
}

gs_inline void gs_read_unlock(struct gs_lock *l)
{
	__atomic_fetch_sub(&l->word, 1, __ATOMIC_RELEASE);
}

/* Globals that each CPU has a shard of: structs that begin with their lock. */
struct gs_shards {
	gs_size size;		    /* of one */
	char *first;		    /* the shard of CPU 0; the others follow */
};

gs_inline void *gs_shard(const struct gs_shards *s, gs_u32 cpu)
{
	return s->first + cpu * s->size;
}

/* Takes the locks of all CPUs' shards, to use the globals as a whole. */
int gs_lock_shards(struct gs_ctx *c, const struct gs_shards *s);
void gs_unlock_shards(const struct gs_shards *s);

#endif
