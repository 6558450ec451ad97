/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_view.h - describes a script's globals to the runtime, for --monitor, so that
 * they can be read while the script runs.
 */
#ifndef GS_VIEW_H
#define GS_VIEW_H

struct gs_view {
	const struct gs_array *array; /* NULL: it is a scalar, at place */
	void *place;
	gs_size size;		    /* bytes at place */
	void *first;		    /* as many bytes: a scalar's value before begin probes run */
	struct gs_lock *lock;	    /* of both; NULL: see shards */
	/* NULL, or the shards, each of which has a part. To use the whole takes the locks of all. */
	struct gs_shards *shards;
	gs_size offset;		    /* a scalar's, in each */
	void (*join)(void *to, void *from); /* moves a shard's part of a scalar */
	gs_size row;		    /* bytes that a row takes at most */
	/* Writes a row, of a node or of the scalar at place; returns its end. */
	char *(*pack)(char *to, const void *from);
};

#endif
