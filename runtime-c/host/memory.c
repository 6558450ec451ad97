// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory.c - memory for the script's data; and the script's loads and stores,
 * in its own process, by system calls that fail where a load would crash.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "host.h"

#define GS_PAGE 4096
#define GS_STACK_SPARE (512 << 10)

static gs_u64 gs_stack_end;	/* the lowest address that handlers may use of the main thread's stack */

void gs_stack_init(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur > 64 << 20)
		limit.rlim_cur = 8 << 20;
	gs_stack_end = (gs_u64)&limit - limit.rlim_cur + GS_STACK_SPARE;
}

void *gs_alloc(gs_size size, int cpu)
{
	void *p = NULL;

	(void)cpu;
	if (posix_memalign(&p, 64, size ? size : 1))
		return NULL;
	__builtin_memset(p, 0, size);
	return p;
}

void gs_free(void *p)
{
	free(p);
}

gs_size gs_stack_left(void)
{
	gs_u64 here = (gs_u64)__builtin_frame_address(0);

	return here > gs_stack_end ? here - gs_stack_end : 0;
}

int gs_stack_suffices(struct gs_ctx *c)
{
	(void)c;
	return gs_stack_left() > 0;
}

static int copy_from(void *to, gs_u64 addr, gs_size n)
{
	struct iovec mine = { to, n }, there = { (void *)addr, n };

	return process_vm_readv(getpid(), &mine, 1, &there, 1, 0) == (ssize_t)n;
}

static void bad_address(struct gs_ctx *c, gs_u64 addr, const char *near)
{
	static const char format[] = "bad address %#x";
	union gs_arg arg = { .n = addr };

	if (c->error)
		return;
	gs_format(c->error_text, sizeof(c->error_text), format, &arg);
	gs_raise(c, c->error_text, near);
}

gs_u64 gs_load(struct gs_ctx *c, gs_u64 addr, gs_u32 size, int user, const char *near)
{
	gs_u64 value = 0;

	(void)user;
	if (!copy_from(&value, addr, size)) {
		bad_address(c, addr, near);
		return 0;
	}
	return value;
}

void gs_store(struct gs_ctx *c, gs_u64 addr, gs_u64 value, gs_u32 size, int user, const char *near)
{
	struct iovec mine = { &value, size }, there = { (void *)addr, size };

	(void)user;
	if (process_vm_writev(getpid(), &mine, 1, &there, 1, 0) != (ssize_t)size)
		bad_address(c, addr, near);
}

int gs_read(void *to, gs_u64 addr, gs_size n, int user)
{
	(void)user;
	return copy_from(to, addr, n) ? 0 : -1;
}

long gs_load_string(struct gs_ctx *c, char *to, gs_u64 addr, gs_size max, int user)
{
	gs_size done = 0;

	(void)c;
	(void)user;
	while (done < max - 1) {
		gs_size chunk = GS_PAGE - (addr + done) % GS_PAGE, len;

		if (chunk > max - 1 - done)
			chunk = max - 1 - done;
		if (!copy_from(to + done, addr + done, chunk))
			return -1;
		len = gs_str_of(to + done, chunk).len;
		done += len;
		if (len < chunk)
			break;
	}
	to[done] = 0;
	return done;
}
