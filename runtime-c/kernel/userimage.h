/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userimage.h - images, the files of machine code that processes map, with their
 * tables, for the unwinder of user stacks.
 */
#ifndef GS_USERIMAGE_H
#define GS_USERIMAGE_H

#include <linux/mm.h>

#include "internal.h"

/* The table of an image. It does not change, and is freed with the module. */
struct gs_table {
	u32 nrows;
	u32 nrules;
	u32 nsymbols;
	u32 nlines;
	u32 path_len;
	u64 start;			/* of GS_KERNEL: the address that offsets count from */
	u32 *offsets;			/* of the rows */
	u16 *rule_of;
	struct gs_unwind_rule *rules;
	struct gs_image_symbol *symbols;
	struct gs_image_line *lines;
	char *names;
	char *path;
};

/*
 * The handler that finds an image stores its file, which the owner takes; the
 * owner stores its table.
 */
struct gs_image_slot {
	struct file *file;		/* NULL: it has been taken, or is not stored yet */
	struct gs_table *table;		/* NULL: not stored yet; published with release */
};

/* A mapping of a process. */
struct gs_mapping {
	u64 start;
	u64 size;			/* 0: there is none */
	u64 offset;			/* of start, in the file */
	u32 image;			/* or GS_NO_IMAGE */
	bool code;
};

/* userimage.c */
struct gs_image_slot *gs_image_slot(u32 image);	/* NULL for GS_NO_IMAGE and numbers out of range */
u32 gs_image_of_file(struct file *file);	/* the image's number, a new one if need be; GS_NO_IMAGE: there is no room */
bool gs_map(struct gs_mapping *m, struct mm_struct *mm, u64 addr);	/* mm is locked. False: nothing is mapped there */

static inline struct gs_table *gs_image_table(u32 image)
{
	struct gs_image_slot *s = gs_image_slot(image);

	return s ? smp_load_acquire(&s->table) : NULL;
}

/* usertable.c: how many tables have been stored. */
u64 gs_tables_so_far(void);

/* userstack.c: the user's registers; NULL if current is no process, or a 32-bit one. */
struct pt_regs *gs_user_regs(struct gs_ctx *c);

/* mmlock.c */
bool gs_lock_mm(struct gs_ctx *c, struct mm_struct *mm);
void gs_unlock_mm(struct gs_ctx *c, struct mm_struct *mm);

#endif
