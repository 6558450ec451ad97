// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls HOW N: N calls of a function, the load that costs per hit of user
 * probes are measured under. HOW says what the kernel does with the function's
 * first instruction where there is a breakpoint: "stepped", it is
 * single-stepped, or "emulated", it is a push. Prints the CPU time of the loop
 * in nanoseconds, which under icount is the number of instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROBED __attribute__((noinline, noclone, noipa))

struct item {
	long weight;
	const char *name;
};

static volatile long sum;

PROBED long stepped(struct item *it, long n)
{
	return it->weight + n;
}

PROBED long emulated(struct item *it, long n)
{
	__asm__ volatile("" ::: "rbx"); /* which has to be saved first */
	return it->weight + n;
}

/* Two frames more on the stack. */
PROBED static long inner(long (*probed)(struct item *, long), struct item *it, long n)
{
	return probed(it, n) + 1;
}

PROBED static long outer(long (*probed)(struct item *, long), struct item *it, long n)
{
	return inner(probed, it, n) + 1;
}

static long long cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long (*probed)(struct item *, long) = argc > 1 && !strcmp(argv[1], "emulated") ? emulated : stepped;
	long n = argc > 2 ? atol(argv[2]) : 20000;
	struct item it = { .weight = 1, .name = "item" };
	long long start = cpu_time();

	for (long i = 0; i < n; i++)
		sum += outer(probed, &it, i);
	fprintf(stderr, "reads %ld %lld\n", n, cpu_time() - start);
	return 0;
}
