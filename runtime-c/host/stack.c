// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack.c - stacks and symbols of the kernel and of programs: the host has none.
 */
#include "host.h"

int gs_is_return(struct gs_ctx *c)
{
	(void)c;
	return 0;
}

gs_u64 gs_probe_addr(struct gs_ctx *c)
{
	(void)c;
	return 0;
}

const gs_u64 *gs_stack(struct gs_ctx *c, gs_u32 max, gs_u32 *n)
{
	(void)c;
	(void)max;
	*n = 0;
	return NULL;
}

void gs_find_symbol(struct gs_ctx *c, gs_u64 addr, struct gs_symbol *to)
{
	(void)c;
	(void)addr;
	*to = (struct gs_symbol){ .name = GS_LIT(""), .module = GS_LIT("") };
}

const struct gs_frame *gs_ustack(struct gs_ctx *c, gs_u32 max, gs_u32 *n, gs_u32 *flags)
{
	(void)c;
	(void)max;
	*n = *flags = 0;
	return NULL;
}

const struct gs_frame *gs_ustack_from(struct gs_ctx *c, gs_u64 ip, gs_u64 sp, gs_u64 bp, gs_u32 *n, gs_u32 *flags)
{
	(void)ip;
	(void)sp;
	(void)bp;
	return gs_ustack(c, 0, n, flags);
}

void gs_note_frames(const struct gs_frame *frames, gs_u32 n)
{
	(void)frames;
	(void)n;
}

int gs_find_frame(struct gs_ctx *c, gs_u64 addr, struct gs_frame *to)
{
	(void)c;
	*to = (struct gs_frame){ .addr = addr, .image = GS_NO_IMAGE };
	return 0;
}

gs_s64 gs_perf_count(gs_u32 counter)
{
	(void)counter;
	return 0;
}

gs_u64 gs_thread_pointer(void)
{
	return 0;
}

gs_s64 gs_goid(struct gs_ctx *c)
{
	(void)c;
	return -1;
}

gs_u64 gs_vector_register(gs_u32 n)
{
	(void)n;
	return 0;
}

gs_u64 gs_load_bias(struct gs_ctx *c, gs_u32 image, gs_u64 first, const char *near)
{
	(void)image;
	(void)first;
	gs_raise(c, "no program is traced here", near);
	return 0;
}

void gs_find_usymbol(const struct gs_frame *f, struct gs_symbol *to)
{
	(void)f;
	*to = (struct gs_symbol){ .name = GS_LIT(""), .module = GS_LIT("") };
}

void gs_find_line(gs_u64 addr, struct gs_line *to)
{
	(void)addr;
	*to = (struct gs_line){ .file = GS_LIT("") };
}

void gs_find_uline(const struct gs_frame *f, struct gs_line *to)
{
	(void)f;
	gs_find_line(0, to);
}

const gs_u64 *gs_task_stack(struct gs_ctx *c, gs_u64 task, gs_u32 *n)
{
	(void)task;
	return gs_stack(c, 0, n);
}
