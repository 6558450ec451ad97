/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_array.h - a script's arrays, as a table of the program describes them:
 * the runtime allocates them, fills in their nodes' heads, and joins the
 * shards of those that each CPU has of its own.
 */
#ifndef GS_ARRAY_H
#define GS_ARRAY_H

struct gs_array {
	struct gs_map *map;	    /* the only one, or the one that shards are joined to */
	gs_size node_size;
	gs_u32 max;		    /* elements */
	gs_u32 wrap;
	const char *overflow;	    /* the error when it is full */

	/* NULL, or the shards, each of which has a map of this array at `offset`. Then: */
	struct gs_shards *shards;
	gs_size offset;
	int (*same)(const struct gs_node *a, const struct gs_node *b); /* have two nodes of one hash the same keys? */
	void (*merge)(struct gs_node *to, const struct gs_node *from); /* adds from's value to that of the same keys */
	const char *near;	    /* where the array is declared */
};

/* Allocates the program's arrays and shards, without the shards' maps: 0, or -ENOMEM; gs_arrays_fini() frees them after either. */
int gs_arrays_init(void);
/* Allocates the maps of a CPU's shard: 0 or -ENOMEM. A second call does nothing. */
int gs_arrays_init_cpu(gs_u32 cpu);
void gs_arrays_fini(void);
/* The bytes that both allocate for ncpus CPUs. */
gs_u64 gs_arrays_size(gs_u32 ncpus);

/* Inserts a node for new keys, which the caller sets, into m, a map of a. NULL if m is full: the error is raised. */
struct gs_node *gs_array_add(struct gs_ctx *c, const struct gs_array *a, struct gs_map *m, gs_u32 hash, const char *near);

/* Moves the shards' elements to the map, in the order of insertion. The caller holds all their locks. May raise an error. */
void gs_array_join(struct gs_ctx *c, const struct gs_array *a);
/*
 * Moves up to n elements of a CPU's shard, whose lock the caller holds; users of the map hold the locks of all shards. False if
 * the shard is empty now, or the map has no room, which is no error.
 */
int gs_array_join_some(const struct gs_array *a, gs_u32 cpu, gs_u32 n);

#endif
