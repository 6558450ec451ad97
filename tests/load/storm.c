// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * storm N: N rounds of what may happen to probed processes. They fork, start
 * threads, exec themselves, longjmp out of functions, unmap and map probed code,
 * and are killed at random times. Prints how many calls of work() have begun,
 * and how many processes were killed; the last call of each of these may have
 * been counted and not made, or made and not counted.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#define PROBED __attribute__((noinline, noclone, noipa))

static long *calls; /* shared by all */
static __thread jmp_buf out;

PROBED long work(long n, const char *name)
{
	return n + name[0];
}

void deep(int n);
static void (*volatile again)(int) = deep;

PROBED void deep(int n)
{
	if (!n)
		longjmp(out, 1);
	again(n - 1);
}

static void call(long n)
{
	__atomic_add_fetch(calls, 1, __ATOMIC_RELAXED);
	work(n, "name");
}

static void some(long n)
{
	for (long i = 0; i < n; i++)
		call(i);
}

static void *thread(void *arg)
{
	some(50);
	if (!setjmp(out))
		deep(20);
	some(50);
	return NULL;
}

/* Maps and unmaps the program's own file. */
static void remap(const char *self)
{
	int fd = open(self, O_RDONLY);

	for (int i = 0; i < 20; i++) {
		void *p = mmap(NULL, 1 << 16, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		if (p != MAP_FAILED)
			munmap(p, 1 << 16);
	}
	close(fd);
}

static void child(int kind, const char *self, const char *memory)
{
	pthread_t t[4];

	switch (kind) {
	case 0: /* threads, and the process ends while they run */
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, thread, NULL);
		some(20);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
		_exit(0);
	case 1: /* exec */
		some(20);
		execl(self, self, "-", memory, NULL);
		_exit(1);
	case 2: /* mappings */
		remap(self);
		some(20);
		_exit(0);
	default: /* until somebody kills it */
		for (;;)
			some(1000);
	}
}

int main(int argc, char **argv)
{
	char memory[32];
	int rounds = argc > 1 ? atoi(argv[1]) : 1, killed = 0, fd;

	if (argc > 2) {
		fd = atoi(argv[2]);
		calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		some(20);
		return 0;
	}
	fd = memfd_create("calls", 0);
	if (fd < 0 || ftruncate(fd, 4096))
		return 1;
	calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	snprintf(memory, sizeof(memory), "%d", fd);
	for (int i = 0; i < rounds; i++) {
		pid_t pids[4];

		for (int kind = 0; kind < 4; kind++) {
			pids[kind] = fork();
			if (!pids[kind])
				child(kind, argv[0], memory);
		}
		for (int kind = 0; kind < 3; kind++)
			waitpid(pids[kind], NULL, 0);
		kill(pids[3], SIGKILL);
		waitpid(pids[3], NULL, 0);
		killed++;
	}
	printf("calls %ld\nkilled %d\n", *calls, killed);
	return 0;
}
