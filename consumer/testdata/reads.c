// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reads.c - what package emit would make of
 *
 *	global n
 *	probe begin { print("begin\n") warn("careful") }
 *	probe kernel.function("vfs_read") { n++; printf("%s %d\n", "read", n) }
 *	probe end { printf("%s %d\n", "total", n) print(@hist_log(…)) system("echo system") print("after\n") }
 */
#include "gostap.h"
#include "protocol.h"

static gs_s64 n;
static int lock;

static void text(struct gs_ctx *c, gs_u32 kind, const char *s, gs_u32 len)
{
	char *p = gs_reserve(c, kind, len);

	if (!p)
		return;
	__builtin_memcpy(p, s, len);
	gs_commit(c);
}

static void print(struct gs_ctx *c, const char *s, gs_u16 len, gs_s64 number)
{
	char *p = gs_reserve(c, GS_REC_PRINT, 4 + 2 + len + 8);
	gs_u32 format = 0;

	if (!p)
		return;
	__builtin_memcpy(p, &format, 4);
	__builtin_memcpy(p + 4, &len, 2);
	__builtin_memcpy(p + 6, s, len);
	__builtin_memcpy(p + 6 + len, &number, 8);
	gs_commit(c);
}

static void at_begin(struct gs_ctx *c)
{
	text(c, GS_REC_TEXT, "begin\n", 6);
	gs_warn(c, (struct gs_str){ "careful", 7 });
}

static void at_read(struct gs_ctx *c)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		gs_lock_wait();
	n++;
	print(c, "read", 4, n);
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

static void at_end(struct gs_ctx *c)
{
	gs_s64 buckets[128] = { [65] = 3 };

	print(c, "total", 5, n);
	gs_print_hist(c, 0, buckets, 128);
	text(c, GS_REC_SYSTEM, "echo system", 11);
	text(c, GS_REC_TEXT, "after\n", 6);
}

static const struct gs_probe probes[] = {
	{ .handler = at_begin },
	{ .handler = at_read },
	{ .handler = at_end },
};

static const struct gs_point points[] = {
	{ .family = "begin", .name = "begin", .probe = 0, .symbol = GS_NO_SYMBOL },
	{ .family = "function", .name = "kernel.function(\"vfs_read\")", .func = "vfs_read", .probe = 1 },
	{ .family = "end", .name = "end", .probe = 2, .symbol = GS_NO_SYMBOL },
	{ .family = "kprobe", .name = "module(\"dummy\").function(\"dummy_setup\")", .probe = 1, .image = 1, .symbol = 1 },
};

static const struct gs_image images[] = { { "", "" }, { "dummy", "" } };

static const struct gs_module_symbol module_symbols[] = {
	{ .image = 1, .name = "dummy_setup", .symbol = 1 },
};

const volatile gs_u32 gs_stack_use[] = { 256, 256, 256 };

const struct gs_program gs_program = {
	.abi = GS_ABI,
	.nsymbols = 2,
	.nmodule_symbols = 1,
	.module_symbols = module_symbols,
	.nprobes = 3,
	.npoints = 4,
	.probes = probes,
	.points = points,
	.nimages = 2,
	.images = images,
	.frame_size = 64,
	.limits = {
		.maxskipped = 100,
		.maxtrylock = 1000,
		.trylockdelay = 10,
		.minstackspace = 1024,
	},
};
