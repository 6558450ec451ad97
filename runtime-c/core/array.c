// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * array.c - a script's arrays: allocated before it starts, joined when handlers
 * read the shards of all CPUs as one array, freed after its end.
 */
#include "gostap.h"

static struct gs_map *gs_shard_map(const struct gs_array *a, gs_u32 cpu)
{
	return (struct gs_map *)((char *)gs_shard(a->shards, cpu) + a->offset);
}

int gs_arrays_init(void)
{
	gs_u32 i;
	int err = 0;

	for (i = 0; i < gs_program.nshards; i++) {
		struct gs_shards *s = gs_program.shards[i];

		s->first = gs_alloc(s->size * gs_ncpus(), -1);
		if (!s->first)
			return -12; /* -ENOMEM */
	}
	for (i = 0; !err && i < gs_program.narrays; i++) {
		const struct gs_array *a = &gs_program.arrays[i];

		err = gs_map_init(a->map, a->node_size, a->max, a->wrap, -1);
	}
	return err;
}

int gs_arrays_init_cpu(gs_u32 cpu)
{
	gs_u32 i;
	int err = 0;

	for (i = 0; !err && i < gs_program.narrays; i++) {
		const struct gs_array *a = &gs_program.arrays[i];

		if (a->shards && !gs_shard_map(a, cpu)->nodes)
			err = gs_map_init(gs_shard_map(a, cpu), a->node_size, a->max, 0, cpu);
	}
	return err;
}

gs_u64 gs_arrays_size(gs_u32 ncpus)
{
	gs_u64 size = 0;
	gs_u32 i;

	for (i = 0; i < gs_program.nshards; i++)
		size += gs_program.shards[i]->size * gs_ncpus();
	for (i = 0; i < gs_program.narrays; i++) {
		const struct gs_array *a = &gs_program.arrays[i];

		size += gs_map_size(a->node_size, a->max) * (a->shards ? 1 + ncpus : 1);
	}
	return size;
}

void gs_arrays_fini(void)
{
	gs_u32 i, cpu;

	for (i = 0; i < gs_program.narrays; i++) {
		const struct gs_array *a = &gs_program.arrays[i];

		gs_map_fini(a->map);
		for (cpu = 0; a->shards && a->shards->first && cpu < gs_ncpus(); cpu++)
			gs_map_fini(gs_shard_map(a, cpu));
	}
	for (i = 0; i < gs_program.nshards; i++) {
		gs_free(gs_program.shards[i]->first);
		gs_program.shards[i]->first = NULL;
	}
}

struct gs_node *gs_array_add(struct gs_ctx *c, const struct gs_array *a, struct gs_map *m, gs_u32 hash, const char *near)
{
	struct gs_node *n = gs_map_insert(m, hash);

	if (!n)
		gs_raise(c, a->overflow, near);
	else if (a->shards)
		n->stamp = gs_cycles();
	return n;
}

static struct gs_node *gs_array_find(const struct gs_array *a, const struct gs_node *like)
{
	struct gs_node *n = a->map->table[like->hash & a->map->mask];

	while (n && !(n->hash == like->hash && a->same(n, like)))
		n = n->chain;
	return n;
}

/* Adds a shard's element to the map; 0 if there is no room. */
static int gs_array_join_node(const struct gs_array *a, const struct gs_node *i)
{
	struct gs_node *to = gs_array_find(a, i);

	if (to) {
		a->merge(to, i);
		if (i->stamp < to->stamp)
			to->stamp = i->stamp;
		return 1;
	}
	to = gs_map_insert(a->map, i->hash);
	if (!to)
		return 0;
	__builtin_memcpy(to + 1, i + 1, a->node_size - sizeof(*to));
	to->stamp = i->stamp;
	return 1;
}

static void gs_array_join_cpu(struct gs_ctx *c, const struct gs_array *a, struct gs_map *from)
{
	struct gs_node *i;
	gs_u32 n = 0;

	gs_map_each(i, from) {
		if (!(++n & 1023))
			gs_give_way(c);
		if (gs_array_join_node(a, i))
			continue;
		if (!gs_program.limits.suppress_errors) {
			gs_raise(c, a->overflow, a->near);
			break;
		}
		/* What is there goes on, for all CPUs. */
		gs_suppressed(c, a->overflow, a->near);
	}
	gs_map_clear(from);
}

int gs_array_join_some(const struct gs_array *a, gs_u32 cpu, gs_u32 n)
{
	struct gs_map *from = gs_shard_map(a, cpu);

	if (!from->count)
		return 0;
	a->map->unsorted = 1;
	while (n-- && from->count) {
		struct gs_node *i = from->order.next;

		if (!gs_array_join_node(a, i))
			return 0;
		gs_map_delete(from, i);
	}
	return from->count != 0;
}

void gs_array_join(struct gs_ctx *c, const struct gs_array *a)
{
	gs_u32 cpu, n = gs_ncpus();
	gs_u64 joined = 0, all;

	for (cpu = 0; cpu < n; cpu++)
		joined += gs_shard_map(a, cpu)->count;
	all = a->map->count + joined;
	if (!joined && !a->map->unsorted)
		return;
	if (!gs_work(c, joined + all * (1 + gs_log2(all)), a->near))
		return;
	for (cpu = 0; cpu < n; cpu++)
		if (gs_shard_map(a, cpu)->count)
			gs_array_join_cpu(c, a, gs_shard_map(a, cpu));
	a->map->unsorted = 0;
	gs_map_sort_stamps(c, a->map);
}
