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

	CHECK(!gs_map_init(&m, sizeof(struct node), MAX, 0));
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

	CHECK(!gs_map_init(&m, sizeof(struct node), 4, 1));
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

	CHECK(!gs_map_init(&m, sizeof(struct node), 8, 0));
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
	CHECK(seen == 4 && m.count == 0 && m.ndead == 8 && !put(&m, 1));
	gs_map_leave(&m, 0);
	CHECK(m.ndead == 0);
	for (i = 0; i < 8; i++)
		CHECK(put(&m, i) != NULL);
	gs_map_fini(&m);
}

static void test_sort(void)
{
	struct gs_map m = { 0 };
	struct gs_node *n, *first = NULL, **last = &first;
	int i, count = 0;

	CHECK(!gs_map_init(&m, sizeof(struct node), 1000, 0));
	for (i = 0; i < 1000; i++)
		put(&m, i)->value = rand() % 40;
	gs_map_each(n, &m) {
		*last = n;
		last = &n->walk;
	}
	*last = NULL;
	for (n = gs_sort(first, __builtin_offsetof(struct gs_node, walk), by_value); n; n = n->walk) {
		struct node *a = (struct node *)n, *b = (struct node *)n->walk;

		count++;
		if (b)
			CHECK(a->value < b->value || (a->value == b->value && a->key < b->key));
	}
	CHECK(count == 1000);
	CHECK(gs_sort(NULL, 0, by_value) == NULL);
	gs_map_each(n, &m)
		n->stamp = 5000 - ((struct node *)n)->key / 2;
	gs_map_sort_stamps(&m);
	i = 0;
	gs_map_each(n, &m) {
		CHECK(((struct node *)n)->key == (999 - i) / 2 * 2 + i % 2);
		CHECK(n->next->prev == n);
		i++;
	}
	CHECK(i == 1000);
	gs_map_fini(&m);
}

int main(void)
{
	test_model();
	test_wrap();
	test_walks();
	test_sort();
	return !!failures;
}
