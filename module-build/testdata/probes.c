/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A script by hand, as package emit would write it:
 *
 *	global n, r
 *	probe begin { print("begin\n") }
 *	probe kernel.function("vfs_read") { n++; if (n <= 3) printf("%d\n", n) }
 *	probe kernel.function("vfs_read").return { r += $return }
 *	probe kernel.function("vfs_write"), kernel.function("vfs_fsync"), kernel.function("ksys_read") { m++ }
 *	probe kprobe.function("vfs_write") { k++ }
 *	probe timer.ms(10) { t++ }
 *	probe end { … }
 */
#include "gostap.h"
#include "protocol.h"

static gs_s64 n, r, m, k, t, saved_ok;

static void text(struct gs_ctx *c, const char *s)
{
	gs_size len = __builtin_strlen(s);
	char *to = gs_reserve(c, GS_REC_TEXT, len);

	if (to) {
		__builtin_memcpy(to, s, len);
		gs_commit(c);
	}
}

static void number(struct gs_ctx *c, const char *name, gs_s64 value)
{
	char s[64], digits[24];
	int at = 0, i = 0;

	while (*name)
		s[at++] = *name++;
	s[at++] = ' ';
	do
		digits[i++] = '0' + value % 10;
	while (value /= 10);
	while (i)
		s[at++] = digits[--i];
	s[at++] = '\n';
	s[at] = 0;
	text(c, s);
}

static void on_begin(struct gs_ctx *c) { text(c, "begin\n"); }

static void on_read(struct gs_ctx *c)
{
	gs_s64 now = __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED);

	if (now <= 3)
		number(c, "read", now);
}

static void on_return_entry(struct gs_ctx *c) { c->saved[0] = c->regs->dx; }

static void on_return(struct gs_ctx *c)
{
	if ((gs_s64)c->regs->ax > 0)
		__atomic_fetch_add(&r, 1, __ATOMIC_RELAXED);
	if ((gs_s64)c->saved[0] >= (gs_s64)c->regs->ax)
		__atomic_fetch_add(&saved_ok, 1, __ATOMIC_RELAXED);
}

const struct gs_point *gs_point_of(struct gs_ctx *c);
static gs_s64 at_read, at_write;

static void on_both(struct gs_ctx *c)
{
	__atomic_fetch_add(&m, 1, __ATOMIC_RELAXED);
	if (gs_point_of(c)->func[0] == 'k')
		__atomic_fetch_add(&at_read, 1, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&at_write, 1, __ATOMIC_RELAXED);
}

static void on_kprobe(struct gs_ctx *c) { __atomic_fetch_add(&k, 1, __ATOMIC_RELAXED); }
static void on_timer(struct gs_ctx *c) { __atomic_fetch_add(&t, 1, __ATOMIC_RELAXED); }

static void on_end(struct gs_ctx *c)
{
	number(c, "reads", n);
	number(c, "returns", r);
	number(c, "saved", saved_ok);
	number(c, "both", m);
	number(c, "both-read", at_read);
	number(c, "both-write", at_write);
	number(c, "kprobes", k);
	number(c, "ticks", t);
	text(c, "end\n");
}

/* Wild addresses; each must end the handler with an error, and no more. */
static void on_wild(struct gs_ctx *c)
{
	static const gs_u64 wild[] = { 0, 8, 0x1000, ~0ull, ~0ull - 6, 0x8000000000000000ull, 0x7fffffffffffull, 0x800000000000ull,
				       0xffff7fffffffffffull, 0xffff800000000000ull, 0xffffffffff600000ull, 0xffffffffff5ffffcull,
				       0xdead000000000100ull, 0xfffffffffffff000ull };
	gs_u32 i, size;
	int user;
	char s[32];

	for (i = 0; i < sizeof(wild) / sizeof(*wild); i++)
		for (user = 0; user < 2; user++)
			for (size = 1; size <= 8; size *= 2) {
				gs_load(c, wild[i], size, user, "");
				if (!c->error)
					text(c, "load passed\n");
				c->error = 0;
				if (user)
					continue;
				gs_store(c, wild[i], 1, size, user, "");
				if (!c->error)
					text(c, "store passed\n");
				c->error = 0;
				if (gs_load_string(c, s, wild[i], sizeof(s), user) >= 0)
					text(c, "string passed\n");
			}
	if (gs_load_string(c, s, (gs_u64)"a string, in one piece", sizeof(s), 0) != 22)
		text(c, "string failed\n");
	if (gs_load(c, (gs_u64)&wild[3], 4, 0, "") != 0xffffffff)
		text(c, "load failed\n");
	gs_load(c, 0, 8, 0, "near operator '->' at x.stp:3:5");
}

static const struct gs_probe probes[] = {
	{ .handler = on_begin },
	{ .handler = on_read },
	{ .handler = on_return, .entry = on_return_entry, .nsaved = 1 },
	{ .handler = on_both },
	{ .handler = on_kprobe },
	{ .handler = on_timer },
	{ .handler = on_end },
	{ .handler = on_wild },
};

static const struct gs_point points[] = {
	{ "begin", "begin", 0, 0, 0, GS_NO_SYMBOL },
	{ "begin", "begin(1)", 0, 7, 0, GS_NO_SYMBOL, 0, 0, { 1 } },
	{ "function", "kernel.function(\"vfs_read\")", "vfs_read", 1, 0, 0 },
	{ "return", "kernel.function(\"vfs_read\").return", "vfs_read", 2, 0, 0 },
	{ "function", "kernel.function(\"vfs_write\")", "vfs_write", 3, 0, 1 },
	{ "function", "kernel.function(\"vfs_fsync\")", "vfs_fsync", 3, 0, 2 },
	{ "function", "kernel.function(\"ksys_read\")", "ksys_read", 3, 0, 3 },
	{ "kprobe", "kprobe.function(\"vfs_write\")", "vfs_write", 4, 0, 1 },
	{ "kprobe", "kprobe.function(\"missing\")", "missing", 4, 0, 4 },
	{ "timer", "timer.ms(10)", 0, 5, 0, GS_NO_SYMBOL, 0, 0, { 10000000 } },
	{ "end", "end", 0, 6, 0, GS_NO_SYMBOL },
};

static const struct gs_image images[] = { { "", "", 0 } };

const volatile gs_u32 gs_stack_use[sizeof(probes) / sizeof(*probes)] = { 256, 256, 256, 256, 256, 256, 256, 256 };

const struct gs_program gs_program = {
	.abi = GS_ABI,
	.nsymbols = 5,
	.nprobes = sizeof(probes) / sizeof(*probes),
	.npoints = sizeof(points) / sizeof(*points),
	.probes = probes,
	.points = points,
	.nimages = 1,
	.images = images,
	.frame_size = 4096,
	.limits = { .maxerrors = 1, .maxskipped = 100, .maxtrylock = 1000,
		    .trylockdelay = 100, .minstackspace = 1024 },
};
