// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format.c - sprintf. It has to agree with the Go package translator/format:
 * both are tested by translator/format/testdata/golden.txt.
 */
#include "gostap.h"

/* The output buffer; text that does not fit is dropped. */
struct gs_out {
	char *at;
	char *end;
};

struct gs_spec {
	gs_s64 width;
	gs_s64 prec;		    /* -1 if there is none */
	int left, plus, space, sharp, zero;
};

#define GS_MAXWIDTH 8192

static void gs_out_char(struct gs_out *o, char ch)
{
	if (o->at < o->end)
		*o->at++ = ch;
}

static void gs_out_bytes(struct gs_out *o, const char *s, gs_size n)
{
	gs_size room = o->end - o->at;

	n = n < room ? n : room;
	__builtin_memmove(o->at, s, n);
	o->at += n;
}

static void gs_out_fill(struct gs_out *o, char ch, gs_s64 n)
{
	while (n-- > 0 && o->at < o->end)
		*o->at++ = ch;
}

/* Writes u's digits at the end of the buffer that ends at `end`; returns where they begin. */
static char *gs_digits(char *end, gs_u64 u, unsigned int base, int upper)
{
	const char *letters = upper ? "0123456789ABCDEF" : "0123456789abcdef";

	do {
		*--end = letters[u % base];
		u /= base;
	} while (u);
	return end;
}

static void gs_out_number(struct gs_out *o, struct gs_spec s, const char *prefix, gs_u64 u, unsigned int base,
			  int upper)
{
	char buf[24], *end = buf + sizeof(buf);
	char *digits = gs_digits(end, u, base, upper);
	gs_size prefix_len = gs_str_of(prefix, 2).len;
	gs_s64 zeros, pad;

	if (!s.prec && !u)
		digits = end;
	zeros = s.prec - (end - digits);
	zeros = zeros > 0 ? zeros : 0;
	pad = s.width - (gs_s64)prefix_len - zeros - (end - digits);
	pad = pad > 0 ? pad : 0;
	if (s.zero && !s.left && s.prec < 0) {
		zeros += pad;
		pad = 0;
	}
	if (!s.left)
		gs_out_fill(o, ' ', pad);
	gs_out_bytes(o, prefix, prefix_len);
	gs_out_fill(o, '0', zeros);
	gs_out_bytes(o, digits, end - digits);
	if (s.left)
		gs_out_fill(o, ' ', pad);
}

static void gs_out_signed(struct gs_out *o, struct gs_spec s, gs_s64 n)
{
	const char *sign = n < 0 ? "-" : s.plus ? "+" : s.space ? " " : "";

	gs_out_number(o, s, sign, n < 0 ? 0 - (gs_u64)n : (gs_u64)n, 10, 0);
}

/* With #, the first digit is a 0. */
static void gs_out_octal(struct gs_out *o, struct gs_spec s, gs_u64 u)
{
	char buf[24];
	gs_s64 n = buf + sizeof(buf) - gs_digits(buf + sizeof(buf), u, 8, 0);

	if (s.sharp && !u && !s.prec)
		s.prec = 1;
	if (s.sharp && u && s.prec <= n && (s.prec >= 0 || !s.zero || s.left || s.width <= n))
		s.prec = n + 1;
	gs_out_number(o, s, "", u, 8, 0);
}

/* A byte as it would stand in a string literal: at most 4. Returns how many. */
static gs_size gs_escape(char *to, char ch)
{
	static const char from[] = "\a\b\f\n\r\t\v\"\\", letter[] = "abfnrtv\"\\";
	gs_u8 u = ch;
	gs_size i;

	for (i = 0; i < sizeof(from) - 1; i++) {
		if (ch == from[i]) {
			to[0] = '\\';
			to[1] = letter[i];
			return 2;
		}
	}
	if (u >= ' ' && u < 0x7f) {
		to[0] = ch;
		return 1;
	}
	to[0] = '\\';
	to[1] = '0' + (u >> 6);
	to[2] = '0' + (u >> 3 & 7);
	to[3] = '0' + (u & 7);
	return 4;
}

/* One byte of a text in one of three spellings; returns its length. */
enum gs_spelling { GS_PLAIN, GS_ESCAPED, GS_HEX };

static gs_size gs_spell(char *to, char ch, enum gs_spelling how)
{
	switch (how) {
	case GS_ESCAPED:
		return gs_escape(to, ch);
	case GS_HEX:
		to[0] = "0123456789abcdef"[(gs_u8)ch >> 4];
		to[1] = "0123456789abcdef"[ch & 15];
		return 2;
	default:
		to[0] = ch;
		return 1;
	}
}

static void gs_out_text(struct gs_out *o, struct gs_spec s, const char *text, gs_size len, enum gs_spelling how)
{
	char buf[4];
	gs_size i, n = 0;

	if (s.prec >= 0 && (gs_size)s.prec < len)
		len = s.prec;
	if (how == GS_PLAIN)
		n = len;
	else
		for (i = 0; i < len; i++)
			n += gs_spell(buf, text[i], how);
	if (!s.left)
		gs_out_fill(o, ' ', s.width - (gs_s64)n);
	if (how == GS_PLAIN)
		gs_out_bytes(o, text, len);
	else
		for (i = 0; i < len; i++)
			gs_out_bytes(o, buf, gs_spell(buf, text[i], how));
	if (s.left)
		gs_out_fill(o, ' ', s.width - (gs_s64)n);
}

/* n if numbers have that size, else 0. */
static gs_s64 gs_number_size(gs_s64 n)
{
	return n == 1 || n == 2 || n == 4 || n == 8 ? n : 0;
}

static void gs_out_binary(struct gs_out *o, struct gs_spec s, gs_u64 u)
{
	gs_s64 size = gs_number_size(s.prec) ?: gs_number_size(s.width) ?: 8;
	gs_s64 n;

	if (!s.left)
		gs_out_fill(o, 0, s.width - size);
	for (n = size; n; n--, u >>= 8)
		gs_out_char(o, u);
	if (s.left)
		gs_out_fill(o, 0, s.width - size);
}

static const char *gs_parse_flags(const char *f, struct gs_spec *s)
{
	for (;; f++) {
		switch (*f) {
		case '-':
			s->left = 1;
			break;
		case '+':
			s->plus = 1;
			break;
		case ' ':
			s->space = 1;
			break;
		case '#':
			s->sharp = 1;
			break;
		case '0':
			s->zero = 1;
			break;
		default:
			return f;
		}
	}
}

static const char *gs_parse_width(const char *f, gs_s64 *n)
{
	*n = 0;
	for (; *f >= '0' && *f <= '9'; f++)
		if (*n < GS_MAXWIDTH)
			*n = *n * 10 + *f - '0';
	return f;
}

/* Parses what follows a %, up to the conversion's letter, taking arguments for each *. */
static const char *gs_parse_directive(const char *f, struct gs_spec *s, const union gs_arg **args)
{
	int star = 0;

	*s = (struct gs_spec){ .prec = -1 };
	f = gs_parse_flags(f, s);
	if (*f == '*') {
		star = 1;
		s->width = (*args)++->n;
		f++;
	} else {
		f = gs_parse_width(f, &s->width);
	}
	if (*f == '.') {
		f++;
		if (*f == '*') {
			s->prec = (*args)++->n;
			if (s->prec < 0)
				s->prec = -1;
			f++;
		} else {
			f = gs_parse_width(f, &s->prec);
		}
	}
	while (*f == 'l')
		f++;
	if (star && s->width < 0) {
		s->left = 1;
		s->width = s->width < -GS_MAXWIDTH ? GS_MAXWIDTH : -s->width;
	}
	if (s->width > GS_MAXWIDTH)
		s->width = GS_MAXWIDTH;
	return f;
}

static void gs_convert(struct gs_out *o, char conversion, struct gs_spec s, const union gs_arg *arg)
{
	char ch;

	switch (conversion) {
	case 'd':
	case 'i':
		gs_out_signed(o, s, arg->n);
		break;
	case 'u':
		gs_out_number(o, s, "", arg->n, 10, 0);
		break;
	case 'o':
		gs_out_octal(o, s, arg->n);
		break;
	case 'x':
		gs_out_number(o, s, s.sharp && arg->n ? "0x" : "", arg->n, 16, 0);
		break;
	case 'X':
		gs_out_number(o, s, s.sharp && arg->n ? "0X" : "", arg->n, 16, 1);
		break;
	case 'p':
		gs_out_number(o, s, "0x", arg->n, 16, 0);
		break;
	case 'b':
		gs_out_binary(o, s, arg->n);
		break;
	case 'c':
		ch = arg->n;
		s.prec = -1;
		if (s.sharp && ch == '\'')
			gs_out_text(o, s, "\\'", 2, GS_PLAIN);
		else
			gs_out_text(o, s, &ch, 1, s.sharp ? GS_ESCAPED : GS_PLAIN);
		break;
	case 's':
		gs_out_text(o, s, arg->s.s, arg->s.len, s.sharp ? GS_ESCAPED : GS_PLAIN);
		break;
	case 'm':
		gs_out_text(o, s, arg->s.s, arg->s.len, GS_PLAIN);
		break;
	case 'M':
		gs_out_text(o, s, arg->s.s, arg->s.len, GS_HEX);
		break;
	}
}

struct gs_str gs_format(char *to, gs_size size, const char *format, const union gs_arg *args)
{
	struct gs_out o = { to, to + size - 1 };
	const char *f = format;

	while (*f) {
		struct gs_spec s;

		if (*f != '%' || *++f == '%') {
			gs_out_char(&o, *f++);
			continue;
		}
		f = gs_parse_directive(f, &s, &args);
		if (!*f)
			break;
		gs_convert(&o, *f++, s, args++);
	}
	*o.at = 0;
	return (struct gs_str){ to, o.at - to };
}

struct gs_str gs_sprintf(char *to, gs_size size, const char *format, const union gs_arg *args)
{
	struct gs_str s = gs_format(to, size, format, args);

	return gs_str_of(s.s, s.len);
}
