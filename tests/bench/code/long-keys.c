// SPDX-License-Identifier: GPL-2.0-or-later
/* long-keys.c - long-keys.stp written by hand: a hash table over a pool of entries. */
#include <stdio.h>
#include <string.h>

#define MAX 4096

struct entry {
	long key, value;
	struct entry *next;
};

static struct entry pool[MAX], *buckets[MAX];
static int used;

static unsigned int hash(long key)
{
	return (unsigned long)key * 0x9e3779b97f4a7c15ul >> 52;
}

static struct entry *find(long key)
{
	struct entry *e;

	for (e = buckets[hash(key)]; e; e = e->next)
		if (e->key == key)
			return e;
	return NULL;
}

static struct entry *get(long key)
{
	struct entry *e = find(key);

	if (!e && used < MAX) {
		struct entry **bucket = &buckets[hash(key)];

		e = &pool[used++];
		e->key = key;
		e->value = 0;
		e->next = *bucket;
		*bucket = e;
	}
	return e;
}

int main(void)
{
	long found = 0, keys = 0, values = 0;
	struct entry *e;

	for (int round = 0; round < 100; round++) {
		for (long i = 0; i < 8000; i++) {
			e = get(i * 7919 & 0xffc);
			if (!e)
				return 1;
			e->value++;
		}
		for (long i = 0; i < 8000; i++) {
			e = find(i);
			if (e)
				found += e->value;
		}
		for (int i = 0; i < used; i++)
			keys ^= pool[i].key + find(pool[i].key)->value;
		for (int i = 0; i < used; i++)
			values += pool[i].key * pool[i].value;
		used = 0;
		memset(buckets, 0, sizeof(buckets));
	}
	printf("%ld %ld %ld\n", found, keys, values);
	return 0;
}
