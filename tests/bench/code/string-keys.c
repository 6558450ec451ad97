// SPDX-License-Identifier: GPL-2.0-or-later
/* string-keys.c - string-keys.stp written by hand: hash tables over pools of entries. */
#include <stdio.h>
#include <string.h>

#define MAX 2048
#define KEY 32

struct entry {
	long value;
	struct entry *next;
	char key[KEY];
};

struct table {
	struct entry pool[MAX], *buckets[MAX];
	int used;
};

static unsigned int hash(const char *key)
{
	unsigned int h = 5381;

	while (*key)
		h = h * 33 + (unsigned char)*key++;
	return h % MAX;
}

static struct entry *find(struct table *t, const char *key)
{
	struct entry *e;

	for (e = t->buckets[hash(key)]; e; e = e->next)
		if (!strcmp(e->key, key))
			return e;
	return NULL;
}

static struct entry *get(struct table *t, const char *key)
{
	struct entry *e = find(t, key);

	if (!e && t->used < MAX) {
		struct entry **bucket = &t->buckets[hash(key)];

		e = &t->pool[t->used++];
		snprintf(e->key, KEY, "%s", key);
		e->value = 0;
		e->next = *bucket;
		*bucket = e;
	}
	return e;
}

static void clear(struct table *t)
{
	t->used = 0;
	memset(t->buckets, 0, sizeof(t->buckets));
}

int main(void)
{
	static struct table names, calls, seen;
	long total = 0, again = 0;

	for (int i = 0; i < 64; i++) {
		char name[KEY];

		snprintf(name, KEY, "kworker/%d:%d", i % 4, i);
		get(&names, name)->value = i;
	}
	for (int round = 0; round < 2000; round++) {
		for (int i = 0; i < names.used; i++) {
			const char *name = names.pool[i].key;
			struct entry *e = get(&calls, name);

			if (!e)
				return 1;
			e->value += round;
			if (find(&seen, name))
				again++;
			else if (!(e = get(&seen, name)))
				return 1;
			else
				e->value = 1;
		}
		if (round % 10 == 9)
			clear(&seen);
	}
	for (int i = 0; i < calls.used; i++)
		total += calls.pool[i].value * find(&names, calls.pool[i].key)->value;
	printf("%ld %ld\n", total, again);
	return 0;
}
