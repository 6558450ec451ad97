/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_map.h - arrays: a hash table over nodes that are allocated with the
 * program. Generated code defines each array's node, its keys and value
 * behind a struct gs_node, and how to hash and compare them; look-ups are
 * inline there, the rest is here.
 */
#ifndef GS_MAP_H
#define GS_MAP_H

struct gs_node {
	struct gs_node *chain;	    /* next in the bucket, in the free list, or in the list of dead nodes */
	struct gs_node *next, *prev; /* in order of insertion */
	struct gs_node *walk;	    /* next in a sorted foreach */
	gs_u64 stamp;		    /* when it was inserted: set by gs_array_add(), if the order matters across CPUs */
	gs_u32 hash;
	gs_u32 dead;		    /* deleted; a foreach may still be at this node */
};

struct gs_map {
	struct gs_node **table;
	gs_u32 mask;		    /* buckets - 1 */
	gs_u32 count;		    /* elements, dead ones not counted */
	gs_u32 max;
	gs_u32 used;		    /* nodes that have ever been in use */
	gs_u32 walks;		    /* active foreach loops that may delete */
	gs_u32 wrap;		    /* if full, the oldest is reused */
	gs_u32 unsorted;	    /* gs_array_join_some() has added elements: the list is not in the order of stamps */
	struct gs_node *dead;
	gs_size node_size;
	char *nodes;
	struct gs_node *free;
	struct gs_node order;	    /* head of the list in order of insertion */
};

int gs_map_init(struct gs_map *m, gs_size node_size, gs_u32 max, int wrap, int cpu);
gs_u64 gs_map_size(gs_size node_size, gs_u32 max);
void gs_map_fini(struct gs_map *m);

/* A node for a key that is not there, zeroed behind the struct gs_node; NULL if the map is full. */
struct gs_node *gs_map_insert(struct gs_map *m, gs_u32 hash);
void gs_map_delete(struct gs_map *m, struct gs_node *n);
void gs_map_clear(struct gs_map *m);

/*
 * A foreach whose body may delete is enclosed by these two: nodes that are deleted
 * meanwhile stay in the list, marked dead, and are skipped.
 */
gs_inline void gs_map_enter(struct gs_map *m)
{
	m->walks++;
}

void gs_map_reap(struct gs_map *m);

/* Sets the number of active walks: one less, or that before an error was caught. */
gs_inline void gs_map_leave(struct gs_map *m, gs_u32 walks)
{
	m->walks = walks;
	if (!walks && m->dead)
		gs_map_reap(m);
}

/* The nodes in order of insertion. */
#define gs_map_each(n, m) for (n = (m)->order.next; n != &(m)->order; n = n->next)

/*
 * Sorts a chain of n nodes, linked at `link` bytes into them and ended by
 * NULL, in place; ties keep their order. Returns the new first node; NULL if it is too much work,
 * and the error has been raised.
 */
typedef gs_s64 (*gs_node_cmp)(const struct gs_node *a, const struct gs_node *b);
struct gs_node *gs_sort(struct gs_ctx *c, struct gs_node *first, gs_u64 n, gs_size link, gs_node_cmp cmp,
			const char *near);
/* The same, but leaves only the first `limit` nodes in the chain. */
struct gs_node *gs_sort_first(struct gs_ctx *c, struct gs_node *first, gs_u64 n, gs_s64 limit, gs_size link,
			      gs_node_cmp cmp, const char *near);

/* Puts the list back into the order of stamps, after shards have been joined; gs_work() has been called. */
void gs_map_sort_stamps(struct gs_ctx *c, struct gs_map *m);

/* Hashes: a multiplication for each eight bytes, and one to spread them at the end. */
#define GS_HASH_SEED 0x9e3779b97f4a7c15ull
gs_inline gs_u64 gs_mix(gs_u64 h, gs_u64 v)
{
	h = (h ^ v) * GS_HASH_SEED;
	return h ^ (h >> 32);
}

gs_u64 gs_hash_str(gs_u64 h, struct gs_str s);

/* gs_mix() for the last key: the product's upper half depends on all bits. */
gs_inline gs_u32 gs_hash_long(gs_u64 h, gs_u64 v)
{
	return ((h ^ v) * GS_HASH_SEED) >> 32;
}

#endif
