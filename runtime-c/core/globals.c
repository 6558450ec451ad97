// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * globals.c - globals given from outside: -G name=value.
 */
#include "gostap.h"

static int gs_digit(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	if (ch >= 'a' && ch <= 'f')
		return ch - 'a' + 10;
	if (ch >= 'A' && ch <= 'F')
		return ch - 'A' + 10;
	return 16;
}

/* A number as scripts spell it: decimal, 0x hexadecimal or 0 octal, with a sign. */
static int gs_parse_number(const char *s, gs_s64 *value)
{
	int negative = *s == '-', base = 10;
	gs_u64 n = 0;

	s += negative;
	if (*s == '0' && s[1]) {
		base = s[1] == 'x' || s[1] == 'X' ? 16 : 8;
		s += base == 16 ? 2 : 1;
	}
	if (!*s)
		return -1;
	for (; *s; s++) {
		if (gs_digit(*s) >= base)
			return -1;
		n = n * base + gs_digit(*s);
	}
	*value = (gs_s64)(negative ? 0 - n : n);
	return 0;
}

/* What stands behind "name=" in assignment; NULL if that is not how it begins. */
static const char *gs_assigned(const char *assignment, const char *name)
{
	for (; *name; name++, assignment++)
		if (*name != *assignment)
			return NULL;
	return *assignment == '=' ? assignment + 1 : NULL;
}

int gs_set_global(const char *assignment)
{
	gs_u32 i;

	for (i = 0; i < gs_program.nglobals; i++) {
		const struct gs_global *g = &gs_program.globals[i];
		const char *value = gs_assigned(assignment, g->name);
		struct gs_text *text = g->place;

		if (!value)
			continue;
		if (!g->is_string)
			return gs_parse_number(value, g->place);
		text->len = gs_put(text->s, MAXSTRINGLEN, gs_str_of(value, MAXSTRINGLEN)).len;
		return 0;
	}
	return -1;
}
