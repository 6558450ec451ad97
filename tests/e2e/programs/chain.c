// SPDX-License-Identifier: GPL-2.0-or-later
// chain.c - known stacks: of calls, of a signal handler, of a library that calls back, of one that is deeper than
// gostap's limit, of a function whose last instruction is the call of one that does not return, and of generated code.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
static volatile int sink;

NOINLINE void leaf(int n)
{
	sink += write(1, "x", n);
}

NOINLINE void middle(int n)
{
	char a[100];

	memset(a, n, sizeof(a));
	sink += a[3];
	leaf(n);
	sink++;
}

static inline __attribute__((always_inline)) void within(int n) { middle(n); sink++; }

NOINLINE void top(int n)
{
	within(n);
	sink++;
}

NOINLINE void handler(int s)
{
	top(0);
	sink += s;
}

NOINLINE void raiser(int n)
{
	raise(SIGUSR1);
	sink += n;
}

NOINLINE int compare(const void *a, const void *b)
{
	top(0);
	return *(const int *)a - *(const int *)b;
}

NOINLINE void sorts(void)
{
	int v[2] = { 2, 1 };

	qsort(v, 2, sizeof(*v), compare);
	sink++;
}

NOINLINE void aligned(int n)
{
	char a[n] __attribute__((aligned(64)));

	memset(a, 0, n);
	sink += a[n / 2];
	top(0);
	sink += a[n / 3];
}

NOINLINE void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		top(0);
	sink++;
}

NOINLINE void last(int n)
{
	top(0);
	_exit(n);
}

NOINLINE void ends(int n)
{
	last(n);
	__builtin_unreachable();
}

/* Generated code with a frame pointer, listed in /tmp/perf-PID.map: it calls the function in rdi. */
NOINLINE void generated(void (*call)(int))
{
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8, 0x31, 0xff, 0xff, 0xd0, 0x5d, 0xc3 };
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;

	memcpy(at, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	fprintf(map, "%lx %zx Script:~add sum.js:3\n", (unsigned long)at, sizeof(code));
	fclose(map);
	((void (*)(void (*)(int)))at)(call);
	sink++;
}

int main(int argc, char **argv)
{
	signal(SIGUSR1, handler);
	switch (argc > 1 ? *argv[1] : 'c') {
	case 'c':
		top(0);
		break;
	case 's':
		raiser(1);
		break;
	case 'q':
		sorts();
		break;
	case 'a':
		aligned(argc * 50);
		break;
	case 'd':
		deep(200);
		break;
	case 'w':
		for (int i = 0; i < 300; i++) {
			sleep(1);
			top(0);
		}
		break;
	case 'e':
		ends(0);
		break;
	case 'j':
		generated(top);
		break;
	case 'J':
		generated(top);
		sleep(1);
	}
	return 0;
}
