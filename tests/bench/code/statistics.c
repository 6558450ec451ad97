// SPDX-License-Identifier: GPL-2.0-or-later
/* statistics.c - statistics.stp written by hand. */
#include <stdio.h>

#define CPUS 8

struct sizes {
	long count, sum, min, max;
};

static void add(struct sizes *s, long size)
{
	if (!s->count || size < s->min)
		s->min = size;
	if (!s->count || size > s->max)
		s->max = size;
	s->count++;
	s->sum += size;
}

struct by_cpu {
	long cpu, count, sum, log[65]; /* log[n]: of n bits */
	struct by_cpu *next;
};

static struct by_cpu pool[CPUS], *buckets[64];
static int used;

static struct by_cpu *get(long cpu)
{
	struct by_cpu **bucket = &buckets[(unsigned long)cpu * 0x9e3779b97f4a7c15ul >> 58], *e;

	for (e = *bucket; e; e = e->next)
		if (e->cpu == cpu)
			return e;
	if (used == CPUS)
		return NULL;
	e = &pool[used++];
	e->cpu = cpu;
	e->next = *bucket;
	*bucket = e;
	return e;
}

int main(void)
{
	static struct sizes sizes;
	long sum = 0, middle = 0;

	for (long i = 0; i < 1000000; i++) {
		long size = i * 7919 & 0xffff;
		struct by_cpu *e = get(i & 7);

		if (!e)
			return 1;
		add(&sizes, size);
		e->count++;
		e->sum += size;
		e->log[size ? 64 - __builtin_clzl(size) : 0]++;
	}
	printf("%ld %ld %ld %ld\n", sizes.count, sizes.sum, sizes.min, sizes.max);
	for (int i = 0; i < used; i++) {
		sum += pool[i].sum / pool[i].count * pool[i].cpu;
		middle += pool[i].log[15];
	}
	printf("%ld %ld\n", sum, middle);
	return 0;
}
