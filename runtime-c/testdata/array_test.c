// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * array_test.c - arrays that each CPU has of its own, against a model.
 */
#define ARRAYS .arrays = arrays, .narrays = 2, .shards = shards, .nshards = 1,
#include "gostap.h"

enum { KEYS = 40, MAX = 30, CPUS = 3 };

struct node {
	struct gs_node node;
	gs_s64 key, value;
};
struct group {
	struct gs_lock lock;
	struct gs_map map;
};

static struct gs_map plain, joined;
static struct gs_shards shard = { .size = sizeof(struct group) };
static struct gs_shards *const shards[] = { &shard };
static int same(const struct gs_node *a, const struct gs_node *b);
static void merge(struct gs_node *to, const struct gs_node *from);
static const struct gs_array arrays[] = {
	{ .map = &plain, .node_size = sizeof(struct node), .max = 5, .wrap = 1, .overflow = "plain is full" },
	{ &joined, sizeof(struct node), MAX, 0, "joined is full", &shard, __builtin_offsetof(struct group, map), same, merge, "here" },
};

#include "stubs.h"

static int same(const struct gs_node *a, const struct gs_node *b)
{
	return ((struct node *)a)->key == ((struct node *)b)->key;
}

static void merge(struct gs_node *to, const struct gs_node *from)
{
	((struct node *)to)->value += ((struct node *)from)->value;
}

static struct gs_map *map_of(int cpu)
{
	return &((struct group *)gs_shard(&shard, cpu))->map;
}

/* Few hashes: long chains. */
static void add(struct gs_ctx *c, struct gs_map *m, gs_s64 key, gs_s64 value)
{
	gs_u32 hash = key & 7;
	struct node *n = (struct node *)m->table[hash & m->mask];

	while (n && n->key != key)
		n = (struct node *)n->node.chain;
	if (!n) {
		n = (struct node *)gs_array_add(c, &arrays[1], m, hash, "there");
		if (!n)
			return;
		n->key = key;
	}
	n->value += value;
}

/* All of them, as the platform does. */
static int init(void)
{
	int cpu, err = gs_arrays_init();

	for (cpu = 0; !err && cpu < CPUS; cpu++)
		err = gs_arrays_init_cpu(cpu) ?: gs_arrays_init_cpu(cpu);
	return err;
}

static void test_join(void)
{
	struct gs_ctx c = { .interruptible = 1 };
	gs_s64 model[KEYS] = { 0 }, order[KEYS];
	int round, i, n = 0;

	CHECK(!init());
	for (round = 0; round < 500; round++) {
		struct gs_node *at;

		for (i = rand() % 20; i > 0; i--) {
			int key = rand() % MAX;

			if (!model[key])
				order[n++] = key;
			model[key] += i;
			add(&c, map_of(rand() % CPUS), key, i);
		}
		gs_array_join(&c, &arrays[1]);
		CHECK(!c.error && joined.count == (gs_u32)n);
		for (i = 0; i < CPUS; i++)
			CHECK(!map_of(i)->count && map_of(i)->order.next == &map_of(i)->order);
		i = 0;
		gs_map_each(at, &joined) {
			struct node *e = (struct node *)at;

			CHECK(i < n && e->key == order[i] && e->value == model[e->key]);
			i++;
		}
		CHECK(i == n);
	}
	gs_arrays_fini();
}

/* More keys than there is room for, in one shard and in all together. */
static void test_full(void)
{
	struct gs_ctx c = { .steps = 10000 };
	int key;

	CHECK(!init());
	for (key = 0; key < MAX; key++)
		add(&c, map_of(0), key, 1);
	CHECK(!c.error);
	add(&c, map_of(0), MAX, 1);
	CHECK(c.error && !strcmp(c.error, "joined is full") && !strcmp(c.error_near, "there"));
	c.error = NULL;
	for (key = 10; key < KEYS; key++)
		add(&c, map_of(1), key, 1);
	CHECK(!c.error);
	gs_array_join(&c, &arrays[1]);
	CHECK(c.error && !strcmp(c.error_near, "here") && joined.count == MAX);
	gs_arrays_fini();
}

/* What can't be joined for want of steps stays where it is. */
static void test_work(void)
{
	struct gs_ctx c = { .steps = 50 };
	int key;

	CHECK(!init());
	for (key = 0; key < MAX; key++)
		add(&c, map_of(key % CPUS), key, 1);
	gs_array_join(&c, &arrays[1]);
	CHECK(c.error && !strcmp(c.error, "too many steps") && !strcmp(c.error_near, "here") && !joined.count);
	c.error = NULL;
	c.steps = 1000;
	gs_array_join(&c, &arrays[1]);
	CHECK(!c.error && joined.count == MAX);
	gs_arrays_fini();
}

/* A CPU that has no memory of its own, and adds nothing; the size is what is allocated. */
static void test_cpu(void)
{
	struct gs_ctx c = { .interruptible = 1 };

	allocated = 0;
	CHECK(!gs_arrays_init() && !gs_arrays_init_cpu(1));
	CHECK(allocated == gs_arrays_size(1));
	add(&c, map_of(1), 7, 1);
	gs_array_join(&c, &arrays[1]);
	CHECK(!c.error && joined.count == 1 && !map_of(0)->nodes);
	gs_arrays_fini();
}

/* Each allocation fails once; what was made before is freed. */
static void test_memory(void)
{
	int n;

	for (n = 0;; n++) {
		int err;

		allocations = n;
		err = init();
		CHECK(err == 0 || err == -12);
		gs_arrays_fini();
		gs_arrays_fini();
		if (!err)
			break;
	}
	CHECK(n == 1 + 2 + 2 + 2 * CPUS);
}

int main(void)
{
	test_join();
	test_full();
	test_work();
	test_cpu();
	test_memory();
	return failures != 0;
}
