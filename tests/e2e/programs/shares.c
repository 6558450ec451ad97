// SPDX-License-Identifier: GPL-2.0-or-later
// shares.c - functions with known times. "shares cpu MS": of MS CPU time half is in half(), a fifth of that in the kernel,
// three tenths in three() and a fifth in fifth(), in turns of 20.3 ms. "shares off MS": of MS time asleep six tenths
// are in six(), three in three_naps() and one in pause_once(), in naps of 100 ms; it prints how many microseconds each
// of these took, as sleeps take longer than requested.
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
static volatile unsigned sink;
static char zeros[65536];
static int zero;

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long used(void) { return now(CLOCK_PROCESS_CPUTIME_ID); }

/* Code behind a call prevents a tail call, which would leave the caller out of the stack. */
#define COUNT(n)                                \
	do {                                    \
		for (int i = 0; i < (n); i++)   \
			sink = sink * 1103515245 + 12345; \
	} while (0)


NOINLINE void kernel_part(long long until)
{
	while (used() < until)
		sink += read(zero, zeros, sizeof(zeros));
	sink++;
}

NOINLINE void half(long long until, long long kernel)
{
	while (used() < until - kernel)
		COUNT(20000);
	kernel_part(until);
	sink++;
}

NOINLINE void three(long long until)
{
	while (used() < until)
		COUNT(20000);
	sink++;
}

NOINLINE void fifth(long long until)
{
	while (used() < until)
		COUNT(20000);
	sink++;
}

static void busy(long ms)
{
	const long long turn = 20300000; /* ns; not a multiple of a tick, lest it be in step with samples */
	long long at = used();

	for (long n = 0; n < ms * 1000000LL / turn; n++) {
		half(at + turn / 2, turn / 10);
		three(at + turn * 8 / 10);
		fifth(at + turn);
		at += turn;
	}
}

NOINLINE void nap(void)
{
	struct timespec t = { 0, 100000000 };

	nanosleep(&t, NULL);
	sink++;
}

NOINLINE void six(void)
{
	for (int i = 0; i < 6; i++)
		nap();
	sink++;
}

NOINLINE void three_naps(void)
{
	for (int i = 0; i < 3; i++)
		nap();
	sink++;
}

NOINLINE void pause_once(void)
{
	poll(NULL, 0, 100);
	sink++;
}

static void idle(long ms)
{
	long long took[3] = { 0 };

	for (long n = 0; n < ms / 1000; n++) {
		long long at[4];

		at[0] = now(CLOCK_MONOTONIC);
		six();
		at[1] = now(CLOCK_MONOTONIC);
		three_naps();
		at[2] = now(CLOCK_MONOTONIC);
		pause_once();
		at[3] = now(CLOCK_MONOTONIC);
		for (int i = 0; i < 3; i++)
			took[i] += at[i + 1] - at[i];
	}
	printf("six %lld three_naps %lld pause_once %lld\n", took[0] / 1000, took[1] / 1000, took[2] / 1000);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 1;
	zero = open("/dev/zero", O_RDONLY);
	memset(zeros, 1, sizeof(zeros));
	if (!strcmp(argv[1], "cpu"))
		busy(atol(argv[2]));
	else
		idle(atol(argv[2]));
	return 0;
}
