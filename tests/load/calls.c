// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls HOW N [flat]: N calls of a function, the load for measuring the cost per hit
 * of user probes. HOW is how the kernel executes the function's first
 * instruction in place of a breakpoint: "stepped", it single-steps it, or
 * "emulated", it emulates a push. Prints the CPU time of the loop
 * in nanoseconds, which under icount is the number of instructions. The
 * function's stack has seven frames with those of libc's start, or, flat,
 * three: a context of its own begins with the loop.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

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

static long (*probed)(struct item *, long);
static long n;
static struct item it = { .weight = 1, .name = "item" };

static void deep(void)
{
	for (long i = 0; i < n; i++)
		sum += outer(probed, &it, i);
}

static void flat(void)
{
	for (long i = 0; i < n; i++)
		sum += probed(&it, i);
}

static void in_context(void (*run)(void))
{
	static char stack[1 << 16];
	ucontext_t here, there;

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, run, 0);
	swapcontext(&here, &there);
}

int main(int argc, char **argv)
{
	long long start;

	probed = argc > 1 && !strcmp(argv[1], "emulated") ? emulated : stepped;
	n = argc > 2 ? atol(argv[2]) : 20000;
	start = cpu_time();
	if (argc > 3)
		in_context(flat);
	else
		deep();
	fprintf(stderr, "reads %ld %lld\n", n, cpu_time() - start);
	return 0;
}
