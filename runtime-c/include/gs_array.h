/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_array.h - a script's arrays, as a table of the program describes them:
 * the runtime makes them, fills their nodes' heads, and joins those that
 * each CPU has of its own.
 */
#ifndef GS_ARRAY_H
#define GS_ARRAY_H

struct gs_array {
	struct gs_map *map;	    /* the only one, or the one that shards are joined to */
	gs_size node_size;
	gs_u32 max;		    /* elements */
	gs_u32 wrap;
	const char *overflow;	    /* the error when it is full */

	/* NULL, or the shards that have, at `offset`, a map of this array each. Then: */
	struct gs_shards *shards;
	gs_size offset;
	int (*same)(const struct gs_node *a, const struct gs_node *b); /* have two nodes of one hash the same keys? */
	void (*merge)(struct gs_node *to, const struct gs_node *from); /* adds from's value to that of the same keys */
	const char *near;	    /* where the array is declared */
};

/* Allocates all shards and arrays of the program but for the CPUs' own: 0, or -ENOMEM, after which gs_arrays_fini() is right, too. */
int gs_arrays_init(void);
/* Allocates a CPU's own. The same; a second time it does nothing. */
int gs_arrays_init_cpu(gs_u32 cpu);
void gs_arrays_fini(void);
/* The bytes that these allocate, on ncpus CPUs. */
gs_u64 gs_arrays_size(gs_u32 ncpus);

/* A node for keys that m, a map of a, does not have; its keys are to be set. NULL if m is full: the error is raised. */
struct gs_node *gs_array_add(struct gs_ctx *c, const struct gs_array *a, struct gs_map *m, gs_u32 hash, const char *near);

/* Moves what the shards have to the map, in the order of insertion. The caller holds all their locks. May raise an error. */
void gs_array_join(struct gs_ctx *c, const struct gs_array *a);
/*
 * Moves up to n elements of a CPU's shard, whose lock the caller holds: those who use the map hold the locks of all. False if
 * it is empty now, or there is no room, which is no error.
 */
int gs_array_join_some(const struct gs_array *a, gs_u32 cpu, gs_u32 n);

#endif
