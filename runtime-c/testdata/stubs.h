/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stubs.h - a platform that does nothing, to test core by itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gostap.h"

#define CHECK(cond)                                                            \
	do {                                                                   \
		if (!(cond)) {                                                 \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
			failures++;                                            \
		}                                                              \
	} while (0)

static int failures;
static int skips;
static int waits;
static gs_u64 clock_ns, clock_step;
static char record[1 << 16];

static gs_s64 number_global;
static GS_TEXT(MAXSTRINGLEN) text_global;
static const struct gs_global globals[] = {
	{ "n", 0, &number_global },
	{ "text", 1, &text_global },
};
const struct gs_program gs_program = {
	.globals = globals,
	.nglobals = 2,
	.limits = { .maxtrylock = 5, .too_many_steps = "too many steps", .too_long = "too long" },
#ifdef ARRAYS
	ARRAYS
#endif
};

/* How many allocations succeed, and what they came to. */
static int allocations = 1 << 30;
static gs_u64 allocated;

void *gs_alloc(gs_size size, int cpu)
{
	void *p = allocations-- > 0 ? aligned_alloc(64, (size + 63) & ~63ul) : NULL;

	(void)cpu;
	allocated += size;
	return p ? memset(p, 0, size) : NULL;
}

void gs_free(void *p)
{
	free(p);
}

gs_u32 gs_ncpus(void)
{
	return 3;
}

void gs_lock_wait(void)
{
	waits++;
}

void gs_suppressed(struct gs_ctx *c, const char *text, const char *near)
{
	(void)c;
	(void)text;
	(void)near;
}

gs_u64 gs_ns(void)
{
	return clock_ns += clock_step;
}

void gs_give_way(struct gs_ctx *c)
{
	(void)c;
}

void gs_skip(struct gs_ctx *c, gs_u32 kind)
{
	(void)c;
	(void)kind;
	skips++;
}

void *gs_reserve(struct gs_ctx *c, gs_u32 kind, gs_u32 len)
{
	(void)c;
	(void)kind;
	return len <= sizeof(record) ? record : NULL;
}

void gs_commit(struct gs_ctx *c)
{
	(void)c;
}

/* Memory from address 4096 on is bad, below it the byte at n is n. */
gs_u64 gs_load(struct gs_ctx *c, gs_u64 addr, gs_u32 size, int user, const char *near)
{
	gs_u64 value = 0;

	(void)user;
	if (addr >= 4096)
		gs_raise(c, "bad address", near);
	while (size--)
		value = value << 8 | (gs_u8)(addr + size);
	return value;
}

int gs_stack_suffices(struct gs_ctx *c)
{
	(void)c;
	return 1;
}
