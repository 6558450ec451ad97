/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_format.h - sprintf and its family. printf formats nothing here: its
 * arguments travel to the consumer.
 */
#ifndef GS_FORMAT_H
#define GS_FORMAT_H

union gs_arg {
	gs_s64 n;
	struct gs_str s;
};

/*
 * Formats args into the size bytes at `to`. The meaning of formats is
 * that of Go's translator/format; testdata/golden.txt there tests both. The
 * result ends before the first NUL, as strings do.
 */
struct gs_str gs_sprintf(char *to, gs_size size, const char *format, const union gs_arg *args);

/* The same, NULs included. */
struct gs_str gs_format(char *to, gs_size size, const char *format, const union gs_arg *args);

/* The bytes of a string in a GS_REC_PRINT record. */
char *gs_pack_str(char *p, struct gs_str s);

gs_inline char *gs_pack_long(char *p, gs_s64 n)
{
	GS_U64(p) = n;
	return p + 8;
}

#endif
