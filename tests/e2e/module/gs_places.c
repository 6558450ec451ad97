// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gs_places.c - a module for the tests: functions and a tracepoint that are
 * called with known values, by a write to /sys/kernel/debug/gs_places/run.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/uaccess.h>

enum gs_colour { GS_RED = 3, GS_GREEN = 5, GS_BLUE = -7 };

struct gs_pair {
	int a;
	long b;
};

struct gs_item {
	u8 kind;
	unsigned int flag : 3, level : 5;
	s16 delta;
	char name[16];
	struct gs_pair pair;
	struct gs_item *next;
	union {
		u32 whole;
		u8 bytes[4];
	};
	enum gs_colour colour;
	int numbers[3];
};

#define CREATE_TRACE_POINTS
#include "gs_places.h"

static struct gs_item second = {
	.kind = 2, .flag = 1, .level = 17, .delta = -2, .name = "second", .pair = { -20, 200 }, .whole = 0x04030201,
	.colour = GS_BLUE, .numbers = { 7, 8, 9 },
};
static struct gs_item first = {
	.kind = 1, .flag = 5, .level = 31, .delta = -300, .name = "first", .pair = { 10, -100 }, .next = &second,
	.whole = 0xdeadbeef, .colour = GS_GREEN, .numbers = { 1, -2, 3 },
};
unsigned long gs_places_word = 4711;
DEFINE_PER_CPU(long, gs_places_each);

/* Eight parameters: two are on the stack. */
noinline long gs_places_many(int a, u8 b, short c, unsigned long d, struct gs_item *item, const char *text, int seventh,
			     long eighth)
{
	barrier();
	return a + b + c + d + item->delta + text[0] + seventh + eighth;
}

/* A struct in two registers. */
noinline int gs_places_pair(struct gs_pair pair, int factor)
{
	barrier();
	return (pair.a + pair.b) * factor;
}

noinline struct gs_item *gs_places_next(struct gs_item *item)
{
	barrier();
	return READ_ONCE(item->next);
}

noinline int gs_places_exported(int n)
{
	barrier();
	return n + 1;
}
EXPORT_SYMBOL_GPL(gs_places_exported);

/* Prints its arguments, for probes that change them. */
noinline int gs_places_echo(int n, struct gs_item *item)
{
	barrier();
	pr_info("gs_places: echo %d, kind %d, numbers %d, bits %d %d, word %lu\n", n, item->kind, item->numbers[1],
		item->flag, item->level, gs_places_word);
	return n;
}

static ssize_t gs_places_run(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct gs_item item = first;

	gs_places_many(-1, 250, -3, 1UL << 40, &first, "text", -7, -8);
	gs_places_pair(first.pair, 3);
	gs_places_next(&first);
	gs_places_exported(41);
	WRITE_ONCE(gs_places_word, gs_places_word + 1);
	this_cpu_inc(gs_places_each);
	trace_gs_places_event(-1, 250, -3, 1UL << 40, &first, "text", -7, -8);
	gs_places_echo(99, &item);
	return len;
}

static const struct file_operations gs_places_ops = { .owner = THIS_MODULE, .write = gs_places_run };
static struct dentry *gs_places_dir;

static noinline int __init gs_places_begin(void)
{
	gs_places_exported(1000);
	return 0;
}

static int __init gs_places_init(void)
{
	gs_places_dir = debugfs_create_dir("gs_places", NULL);
	debugfs_create_file("run", 0200, gs_places_dir, NULL, &gs_places_ops);
	return gs_places_begin();
}

static void __exit gs_places_exit(void)
{
	debugfs_remove_recursive(gs_places_dir);
}

module_init(gs_places_init);
module_exit(gs_places_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("known values for gostap's tests");
