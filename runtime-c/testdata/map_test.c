// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map_test.c - arrays and sorting against a model.
 */
#include "stubs.h"

struct node {
	struct gs_node node;
	gs_s64 key, value;
};

static struct node *find(struct gs_map *m, gs_s64 key)
{
	gs_u32 hash = gs_mix(GS_HASH_SEED, key) & 7; /* few hashes: long chains */
	struct gs_node *n = m->table[hash & m->mask];

	while (n && ((struct node *)n)->key != key)
		n = n->chain;
	return (struct node *)n;
}

static struct node *put(struct gs_map *m, gs_s64 key)
{
	struct node *n = find(m, key);

	if (!n) {
		n = (struct node *)gs_map_insert(m, gs_mix(GS_HASH_SEED, key) & 7);
		if (n)
			n->key = key;
	}
	return n;
}

static gs_s64 by_value(const struct gs_node *a, const struct gs_node *b)
{
	return ((struct node *)a)->value - ((struct node *)b)->value;
}

static void test_model(void)
{
	enum { KEYS = 50, MAX = 30 };
	struct gs_map m = { 0 };
	gs_s64 model[KEYS], order[MAX + 1];
	int present[KEYS] = { 0 }, step, i, n = 0;

	CHECK(!gs_map_init(&m, sizeof(struct node), MAX, 0, -1));
	for (step = 0; step < 20000; step++) {
		int key = rand() % KEYS, what = rand() % 100;
		struct node *e = find(&m, key);
		struct gs_node *it;

		CHECK(!!e == present[key]);
		if (e)
			CHECK(e->value == model[key]);
		if (what < 50) {
			e = put(&m, key);
			CHECK(!!e == (present[key] || n < MAX));
			if (e && !present[key]) {
				CHECK(e->value == 0);
				present[key] = 1;
				order[n++] = key;
			}
			if (e)
				e->value = model[key] = rand() % 10;
		} else if (what < 99 && e) {
			gs_map_delete(&m, &e->node);
			present[key] = 0;
			for (i = 0; order[i] != key; i++)
				;
			memmove(&order[i], &order[i + 1], (n - i) * sizeof(*order));
			n--;
		} else if (what == 99) {
			gs_map_clear(&m);
			memset(present, 0, sizeof(present));
			n = 0;
		}
		CHECK(m.count == (gs_u32)n);
		i = 0;
		gs_map_each(it, &m)
			CHECK(i < n && ((struct node *)it)->key == order[i++]);
		CHECK(i == n);
	}
	gs_map_fini(&m);
}

static void test_wrap(void)
{
	struct gs_map m = { 0 };
	struct gs_node *n;
	int i;

	CHECK(!gs_map_init(&m, sizeof(struct node), 4, 1, -1));
	for (i = 0; i < 10; i++)
		CHECK(put(&m, i) != NULL);
	i = 6;
	gs_map_each(n, &m)
		CHECK(((struct node *)n)->key == i++);
	CHECK(i == 10);
	gs_map_fini(&m);
}

static void test_walks(void)
{
	struct gs_map m = { 0 };
	struct gs_node *n;
	int i, seen = 0;

	CHECK(!gs_map_init(&m, sizeof(struct node), 8, 0, -1));
	for (i = 0; i < 8; i++)
		put(&m, i);
	gs_map_enter(&m);
	gs_map_each(n, &m) {
		if (n->dead)
			continue;
		seen++;
		gs_map_delete(&m, n);
		i = ((struct node *)n)->key + 1;
		if (find(&m, i))
			gs_map_delete(&m, &find(&m, i)->node);
	}
	CHECK(seen == 4 && m.count == 0 && m.dead && !put(&m, 1));
	gs_map_leave(&m, 0);
	CHECK(!m.dead);
	for (i = 0; i < 8; i++)
		CHECK(put(&m, i) != NULL);
	gs_map_fini(&m);
}

#define LINK __builtin_offsetof(struct gs_node, walk)

/* The chain of m's nodes, in order of insertion. */
static struct gs_node *chain_of(struct gs_map *m)
{
	struct gs_node *n, *first = NULL, **last = &first;

	gs_map_each(n, m) {
		*last = n;
		last = &n->walk;
	}
	*last = NULL;
	return first;
}

/* Is the chain sorted by value, ties in order of insertion? Returns its length. */
static int sorted(struct gs_node *n)
{
	int count = 0;

	for (; n; n = n->walk) {
		struct node *a = (struct node *)n, *b = (struct node *)n->walk;

		count++;
		if (b)
			CHECK(a->value < b->value || (a->value == b->value && a->key < b->key));
	}
	return count;
}

static void test_sort(void)
{
	struct gs_ctx c = { .interruptible = 1 };
	struct gs_map m = { 0 };
	struct gs_node *n;
	int i;

	CHECK(!gs_map_init(&m, sizeof(struct node), 1000, 0, -1));
	for (i = 0; i < 1000; i++)
		put(&m, i)->value = rand() % 40;
	CHECK(sorted(gs_sort(&c, chain_of(&m), 1000, LINK, by_value, "here")) == 1000);
	CHECK(gs_sort(&c, NULL, 0, 0, by_value, "here") == NULL);
	gs_map_each(n, &m)
		n->stamp = 5000 - ((struct node *)n)->key / 2;
	gs_map_sort_stamps(&c, &m);
	i = 0;
	gs_map_each(n, &m) {
		CHECK(((struct node *)n)->key == (999 - i) / 2 * 2 + i % 2);
		CHECK(n->next->prev == n);
		i++;
	}
	CHECK(i == 1000);
	gs_map_fini(&m);
}

/* The first of what a whole sort brings, for limits on both sides of where that would be done. */
static void test_sort_first(void)
{
	static const int limits[] = { -1, 0, 1, 2, 7, 249, 250, 251, 999, 1000, 1001 };
	struct gs_ctx c = { .interruptible = 1 };
	struct gs_node *whole[1000], *n;
	int round, i, at;

	for (round = 0; round < 4; round++) {
		struct gs_map m = { 0 };

		CHECK(!gs_map_init(&m, sizeof(struct node), 1000, 0, -1));
		/* At random, with ties; ascending, descending, all alike. */
		for (i = 0; i < 1000; i++)
			put(&m, i)->value = round == 0 ? rand() % 40 : round == 1 ? i : round == 2 ? 1000 - i : 1;
		for (i = 0, n = gs_sort(&c, chain_of(&m), 1000, LINK, by_value, "here"); n; n = n->walk)
			whole[i++] = n;
		for (at = 0; at < (int)(sizeof(limits) / sizeof(*limits)); at++) {
			n = gs_sort_first(&c, chain_of(&m), 1000, limits[at], LINK, by_value, "here");
			for (i = 0; n; n = n->walk)
				CHECK(i < 1000 && n == whole[i++]);
			CHECK(i == (limits[at] < 0 ? 0 : limits[at] > 1000 ? 1000 : limits[at]));
		}
		gs_map_fini(&m);
	}
}

/* Where others wait, work is limited: sorting a tenth is less of it. */
static void test_work(void)
{
	struct gs_ctx c = { .steps = 5000 };
	struct gs_map m = { 0 };
	int i;

	CHECK(!gs_map_init(&m, sizeof(struct node), 1000, 0, -1));
	for (i = 0; i < 1000; i++)
		put(&m, i)->value = 1000 - i / 10;
	CHECK(!gs_sort(&c, chain_of(&m), 1000, LINK, by_value, "here"));
	CHECK(c.error && !strcmp(c.error, "too many steps") && !strcmp(c.error_near, "here") && c.steps == 5000);
	c.error = NULL;
	CHECK(gs_sort_first(&c, chain_of(&m), 1000, 1, LINK, by_value, "here") && !c.error && c.steps < 4000);
	CHECK(!gs_sort_first(&c, chain_of(&m), 1000, 100, LINK, by_value, "here") && c.error);
	CHECK(c.steps >= 0 && !gs_work(&c, 1ull << 63, "here"));
	gs_map_fini(&m);
}

int main(void)
{
	test_model();
	test_wrap();
	test_walks();
	test_sort();
	test_sort_first();
	test_work();
	return !!failures;
}
