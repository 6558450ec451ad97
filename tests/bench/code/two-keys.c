// SPDX-License-Identifier: GPL-2.0-or-later
/* two-keys.c - two-keys.stp written by hand: a hash table over a pool of entries. */
#include <stdio.h>
#include <string.h>

#define MAX 4096
#define KEY 32
#define NAMES 64

struct entry {
	long value;
	struct entry *next;
	char from[KEY], to[KEY];
};

static struct entry pool[MAX], *buckets[MAX];
static int used;

static unsigned int add_hash(unsigned int h, const char *key)
{
	while (*key)
		h = h * 33 + (unsigned char)*key++;
	return h;
}

static unsigned int hash(const char *from, const char *to)
{
	return add_hash(add_hash(5381, from), to) % MAX;
}

static struct entry *find(const char *from, const char *to)
{
	struct entry *e;

	for (e = buckets[hash(from, to)]; e; e = e->next)
		if (!strcmp(e->from, from) && !strcmp(e->to, to))
			return e;
	return NULL;
}

static struct entry *get(const char *from, const char *to)
{
	struct entry *e = find(from, to);

	if (!e && used < MAX) {
		struct entry **bucket = &buckets[hash(from, to)];

		e = &pool[used++];
		snprintf(e->from, KEY, "%.31s", from);
		snprintf(e->to, KEY, "%.31s", to);
		e->value = 0;
		e->next = *bucket;
		*bucket = e;
	}
	return e;
}

int main(void)
{
	static char names[NAMES][KEY];
	long back = 0, total = 0;

	for (int i = 0; i < NAMES; i++)
		snprintf(names[i], KEY, "kworker/%d:%d", i % 4, i);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < NAMES; i++) {
			for (int j = 0; j < NAMES; j++) {
				struct entry *e = get(names[i], names[j]);

				if (!e)
					return 1;
				e->value++;
				e = find(names[j], names[i]);
				if (e)
					back += e->value;
			}
		}
		if (round % 5 == 4) {
			for (int i = 0; i < used; i++)
				if (strcmp(pool[i].from, pool[i].to) < 0)
					total += pool[i].value;
			used = 0;
			memset(buckets, 0, sizeof(buckets));
		}
	}
	printf("%ld %ld\n", back, total);
	return 0;
}
