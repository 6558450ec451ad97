/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_string.h - strings: values (struct gs_str) point to bytes that are owned
 * elsewhere: by a literal, a slot in the handler's frame, a global or a key.
 */
#ifndef GS_STRING_H
#define GS_STRING_H

#define GS_LIT(text) ((struct gs_str){ (text), sizeof(text) - 1 })

/* A string variable of at most n-1 bytes. s is 0 behind them. */
#define GS_TEXT(n)              \
	struct {                \
		gs_u32 len;     \
		char s[n];      \
	}
struct gs_text {
	gs_u32 len;
	char s[];
};
#define GS_STR(text) ((struct gs_str){ (text).s, (text).len })
#define GS_SET(text, value) ((void)((text).len = gs_put((text).s, sizeof((text).s), (value)).len))

/* Loads and stores at any address. */
struct gs_unaligned {
	union {
		gs_u16 u16;
		gs_u32 u32;
		gs_u64 u64;
	};
} __attribute__((packed, may_alias));
#define GS_U16(p) (((struct gs_unaligned *)(p))->u16)
#define GS_U32(p) (((struct gs_unaligned *)(p))->u32)
#define GS_U64(p) (((struct gs_unaligned *)(p))->u64)

/*
 * Copies n bytes. to == from is allowed, other overlap is not. Words, the
 * last one overlapping the one before: most strings are a few words long.
 */
gs_inline void gs_copy(char *to, const char *from, gs_size n)
{
	if (gs_likely(n >= 8)) {
		gs_size i;

		if (gs_unlikely(n > 64)) {
			__builtin_memmove(to, from, n);
			return;
		}
		for (i = 0; i < n - 8; i += 8)
			GS_U64(to + i) = GS_U64(from + i);
		GS_U64(to + n - 8) = GS_U64(from + n - 8);
	} else if (n >= 4) {
		gs_u32 last = GS_U32(from + n - 4);

		GS_U32(to) = GS_U32(from);
		GS_U32(to + n - 4) = last;
	} else if (n) {
		char middle = from[n >> 1], last = from[n - 1];

		to[0] = from[0];
		to[n >> 1] = middle;
		to[n - 1] = last;
	}
}

/* Copies a value to the size bytes at `to`, cut to what fits. */
struct gs_str gs_put(char *to, gs_size size, struct gs_str from);

int gs_bytes_eq(const char *a, const char *b, gs_size n);

gs_inline int gs_str_eq(struct gs_str a, struct gs_str b)
{
	return a.len == b.len && gs_bytes_eq(a.s, b.s, a.len);
}

/* <0, 0, >0 as a sorts before, with or behind b, by unsigned bytes. */
int gs_str_cmp(struct gs_str a, struct gs_str b);

/*
 * Appends a value to the n bytes that are in the size bytes at `to` already, cut
 * to what fits; returns the new length.
 */
gs_size gs_append(char *to, gs_size size, gs_size n, struct gs_str from);

/* gs_put(), where the value may be there already. */
gs_inline gs_size gs_keep(char *to, gs_size size, struct gs_str from)
{
	return from.s == to ? from.len : gs_put(to, size, from).len;
}

/* Sets $value, or appends to it; a text that does not fit raises an error. */
void gs_set_value(struct gs_ctx *c, struct gs_str from, int append, const char *near);

/* The part of a value from start, of at most length bytes; "" if start is outside it. */
struct gs_str gs_substr(char *to, gs_size size, struct gs_str from, gs_s64 start, gs_s64 length);

/* The size bytes (at most) of memory at addr, for %m; a bad address raises an error. */
struct gs_str gs_load_bytes(struct gs_ctx *c, char *to, gs_size size, gs_s64 addr, gs_s64 n, int user,
			    const char *near);

/* The NUL-terminated string in a slot of the frame, which is aligned and padded to eight bytes. */
gs_inline struct gs_str gs_str_in_slot(const char *s)
{
	gs_size n;

	for (n = 0;; n += 8) {
		gs_u64 word = GS_U64(s + n);
		gs_u64 zero = (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;

		if (zero)
			return (struct gs_str){ s, n + (__builtin_ctzll(zero) >> 3) };
	}
}

/* The string at s: up to its NUL, or max bytes. */
struct gs_str gs_str_of(const char *s, gs_size max);

#endif
