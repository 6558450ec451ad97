/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_view.h - a script's globals as others than its handlers read them, while
 * it runs: what the generated code of --monitor tells the runtime of each.
 */
#ifndef GS_VIEW_H
#define GS_VIEW_H

struct gs_view {
	const struct gs_array *array; /* NULL: it is a scalar, at place */
	void *place;
	gs_size size;		    /* of what is at place */
	void *first;		    /* room for as much: what a scalar is before begin probes run */
	struct gs_lock *lock;	    /* of both; NULL: see shards */
	/* NULL, or the shards that have a part of it each. Who uses it as a whole holds all their locks. */
	struct gs_shards *shards;
	gs_size offset;		    /* a scalar's, in each */
	void (*join)(void *to, void *from); /* moves a shard's part of a scalar */
	gs_size row;		    /* bytes that a row takes at most */
	/* Writes a row, of a node or of what is at place; returns what is behind it. */
	char *(*pack)(char *to, const void *from);
};

#endif
