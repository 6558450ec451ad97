// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls.c - a program whose behaviour the scripts of user*.txtar expect.
 * Its string is in a page that it never accesses itself.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

enum color { RED, GREEN = 5 };

struct item {
	const char *name;
	long n;
	struct item *next;
	unsigned int low : 3, high : 5;
	enum color color;
	int list[4];
	char text[16];
};

struct pair {
	long first, second;
};

/* 64 KiB away from anything else: the kernel maps pages around a fault, 16 of them. */
static const char untouched[3 << 16] __attribute__((aligned(1 << 16))) = { [1 << 16] = 'f', 'a', 'r', ' ', 'a', 'w', 'a', 'y' };

long total = 40;
static __thread int own = 7;

NOINLINE long add(struct item *it, int n)
{
	total += n;
	own++;
	return it->n + n;
}

int factorial(int n);
static int (*volatile again)(int) = factorial; /* keeps the compiler from making a loop of it */

NOINLINE int factorial(int n)
{
	return n < 2 ? 1 : n * again(n - 1);
}

NOINLINE size_t say(const char *text, unsigned char level)
{
	return (size_t)text & level;
}

NOINLINE struct pair both(long a, long b)
{
	return (struct pair){ b, a };
}

NOINLINE long many(int a, long b, short c, unsigned char d, int e, long f, long g, int h)
{
	return a + b + c + d + e + f + g + h;
}

static jmp_buf out;

void leap(int n);
static void (*volatile leap_again)(int) = leap;

NOINLINE void leap(int n)
{
	if (!n)
		longjmp(out, 1);
	leap_again(n - 1);
}

static void *thread(void *arg)
{
	add(arg, 100);
	return NULL;
}

int main(int argc, char **argv)
{
	struct item second = { .name = "second", .n = 2 };
	struct item first = { .name = "first", .n = 1, .next = &second, .low = 5, .high = 17, .color = GREEN, .list = { 10, 11, 12, 13 }, .text = "text" };
	int times = argc > 1 ? atoi(argv[1]) : 3;
	pthread_t t;
	int i;

	for (i = 0; i < times; i++)
		add(&first, i);
	factorial(5);
	say(untouched + (1 << 16), 3);
	both(1, 2);
	many(-1, 2, -3, 4, -5, 6, 7, -8);
	if (!setjmp(out))
		leap(3);
	factorial(2);
	pthread_create(&t, NULL, thread, &second);
	pthread_join(t, NULL);
	if (!fork())
		_exit(add(&first, 1000) == 0);
	wait(NULL);
	return 0;
}
