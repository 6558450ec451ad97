// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * string.c - strings. Common operations are compiled once, here: inlined into
 * handlers, they would take most of the time of a script's compilation, to save a
 * call each.
 */
#include "gostap.h"

struct gs_str gs_put(char *to, gs_size size, struct gs_str from)
{
	gs_size n = gs_likely(from.len < size) ? from.len : size - 1;

	gs_copy(to, from.s, n);
	to[n] = 0;
	return (struct gs_str){ to, n };
}

gs_size gs_append(char *to, gs_size size, gs_size n, struct gs_str from)
{
	gs_size more = gs_likely(from.len < size - n) ? from.len : size - n - 1;

	gs_copy(to + n, from.s, more);
	to[n + more] = 0;
	return n + more;
}

void gs_set_value(struct gs_ctx *c, struct gs_str from, int append, const char *near)
{
	struct gs_value *v = c->value;

	if (!append)
		v->len = 0;
	if (from.len >= v->size - v->len)
		gs_raise(c, "buffer size exceeded, consider a larger MAXSIZE", near);
	v->len = gs_append(v->text, v->size, v->len, from);
}

struct gs_str gs_substr(char *to, gs_size size, struct gs_str from, gs_s64 start, gs_s64 length)
{
	if (start < 0 || start >= (gs_s64)from.len || length <= 0)
		return gs_put(to, size, GS_LIT(""));
	from.s += start;
	from.len -= start;
	if (length < (gs_s64)from.len)
		from.len = length;
	return gs_put(to, size, from);
}

int gs_bytes_eq(const char *a, const char *b, gs_size n)
{
	if (gs_likely(n >= 8)) {
		gs_size i;

		for (i = 0; i < n - 8; i += 8)
			if (GS_U64(a + i) != GS_U64(b + i))
				return 0;
		return GS_U64(a + n - 8) == GS_U64(b + n - 8);
	}
	if (n >= 4)
		return GS_U32(a) == GS_U32(b) && GS_U32(a + n - 4) == GS_U32(b + n - 4);
	if (n)
		return a[0] == b[0] && a[n >> 1] == b[n >> 1] && a[n - 1] == b[n - 1];
	return 1;
}

char *gs_pack_str(char *p, struct gs_str s)
{
	GS_U16(p) = s.len;
	gs_copy(p + 2, s.s, s.len);
	return p + 2 + s.len;
}

int gs_str_cmp(struct gs_str a, struct gs_str b)
{
	gs_size n = a.len < b.len ? a.len : b.len;
	gs_size i;

	for (i = 0; i + 8 <= n; i += 8)
		if (GS_U64(a.s + i) != GS_U64(b.s + i))
			break;
	for (; i < n; i++)
		if (a.s[i] != b.s[i])
			return (gs_u8)a.s[i] < (gs_u8)b.s[i] ? -1 : 1;
	return a.len < b.len ? -1 : a.len > b.len;
}

struct gs_str gs_str_of(const char *s, gs_size max)
{
	gs_size n = 0;

	while (n < max && s[n])
		n++;
	return (struct gs_str){ s, n };
}

struct gs_str gs_load_bytes(struct gs_ctx *c, char *to, gs_size size, gs_s64 addr, gs_s64 n, int user,
			    const char *near)
{
	gs_size max = n < 0 ? 1 : (gs_u64)n < size ? (gs_size)n : size - 1;
	gs_size i = 0;

	for (; i + 8 <= max && !c->error; i += 8)
		GS_U64(to + i) = gs_load(c, addr + i, 8, user, near);
	for (; i < max && !c->error; i++)
		to[i] = gs_load(c, addr + i, 1, user, near);
	to[i] = 0;
	return (struct gs_str){ to, i };
}
