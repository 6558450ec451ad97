// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usersymbol.c - symbols and lines of programs' addresses, by the tables of their
 * images.
 */
#include "userimage.h"

void gs_find_usymbol(const struct gs_frame *f, struct gs_symbol *to)
{
	u32 image = f->image & ~GS_FRAME_CALL, low = 0, high;
	u64 offset = f->offset - !!(f->image & GS_FRAME_CALL);
	const struct gs_table *t = gs_image_table(image);
	const struct gs_image_symbol *s;

	*to = (struct gs_symbol){ .name = GS_LIT(""), .module = GS_LIT("") };
	if (!t)
		return;
	to->module = (struct gs_str){ t->path, t->path_len };
	for (high = t->nsymbols; low < high;) {
		u32 mid = low + (high - low) / 2;

		if (t->symbols[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return;
	s = &t->symbols[low - 1];
	if (s->size && offset - s->offset >= s->size)
		return;
	to->name = (struct gs_str){ t->names + s->name, strlen(t->names + s->name) };
	to->offset = f->offset - s->offset;
	to->size = s->size;
}

/* The line of the code at an offset of an image. */
static void gs_find_image_line(const struct gs_table *t, u64 offset, struct gs_line *to)
{
	const struct gs_image_line *l;
	u32 low = 0, high;

	*to = (struct gs_line){ .file = GS_LIT("") };
	if (!t)
		return;
	for (high = t->nlines; low < high;) {
		u32 mid = low + (high - low) / 2;

		if (t->lines[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	l = low ? &t->lines[low - 1] : NULL;
	if (!l || !l->line)
		return;
	to->file = (struct gs_str){ t->names + l->file, strlen(t->names + l->file) };
	to->line = l->line;
}

void gs_find_uline(const struct gs_frame *f, struct gs_line *to)
{
	gs_find_image_line(gs_image_table(f->image & ~GS_FRAME_CALL), f->offset - !!(f->image & GS_FRAME_CALL), to);
}

void gs_find_line(gs_u64 addr, struct gs_line *to)
{
	const struct gs_table *t = gs_image_table(GS_KERNEL);

	gs_find_image_line(t && addr - t->start <= U32_MAX ? t : NULL, t ? addr - t->start : 0, to);
}
