/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_embed.h - macros for embedded C (%{ %}). STAP_ARG_x, STAP_RETVALUE and
 * STAP_RETURN differ from function to function, and are defined around each by
 * package emit. platform.h comes before it: it
 * declares vsnprintf, va_list and whatever else the platform offers.
 */
#ifndef GS_EMBED_H
#define GS_EMBED_H

#include "gostap.h"
#include "protocol.h"

#define CONTEXT gs_context

/* Ends the function with an error. */
#define STAP_ERROR(...)                             \
	do {                                        \
		gs_errorf(CONTEXT, __VA_ARGS__);    \
		goto gs_out;                        \
	} while (0)

/* Ends the function and tries the next overload. */
#define STAP_NEXT                                   \
	do {                                        \
		CONTEXT->next = 1;                  \
		goto gs_out;                        \
	} while (0)

/* Copies the string at from, cut to size bytes with its NUL. */
static inline __attribute__((unused)) void gs_strlcpy(char *to, const char *from, gs_size size)
{
	gs_put(to, size, gs_str_of(from, size));
}

#define STAP_PRINTF(...) gs_printf(CONTEXT, __VA_ARGS__)

/* MAXSTRINGLEN bytes that an embedded function may use until it returns. */
#define GS_SCRATCH (CONTEXT->frame_end - MAXSTRINGLEN)

static inline __attribute__((unused, format(printf, 2, 3))) void gs_errorf(struct gs_ctx *c, const char *format, ...)
{
	va_list args;

	if (c->error)
		return;
	va_start(args, format);
	vsnprintf(c->error_text, sizeof(c->error_text), format, args);
	va_end(args);
	c->error = c->error_text;
	c->error_near = NULL;
}

static inline __attribute__((unused, format(printf, 2, 3))) void gs_printf(struct gs_ctx *c, const char *format, ...)
{
	char *scratch = c->frame_end - MAXSTRINGLEN, *p;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(scratch, MAXSTRINGLEN, format, args);
	va_end(args);
	if (n >= MAXSTRINGLEN)
		n = MAXSTRINGLEN - 1;
	if (n <= 0)
		return;
	p = gs_reserve(c, GS_REC_TEXT, n);
	if (!p)
		return;
	__builtin_memcpy(p, scratch, n);
	gs_commit(c);
}

#endif
