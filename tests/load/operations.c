// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operations KIND N: N times what tools look at: open and close of a file, stat(2) of one, kill(2) of nobody, read(2) of a byte, fsync(2),
 * setresuid(2), or a byte to another thread and back, which takes two switches. Prints the CPU time of the loop in nanoseconds, which under
 * icount is the number of instructions.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int zero, scratch, there[2], back[2];

static long long cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int do_open(void)
{
	return close(open("/dev/null", O_RDONLY));
}

static int do_stat(void)
{
	struct stat st;

	return syscall(SYS_stat, "/dev/null", &st);	/* as every tool's; that of the C library is newfstatat */
}

static int do_kill(void)
{
	return kill(getpid(), 0);
}

static int do_read(void)
{
	char byte;

	return read(zero, &byte, 1) != 1;
}

static int do_sync(void)
{
	return fsync(scratch);
}

static int do_setuid(void)
{
	return setresuid(0, 0, 0);
}

static void *echo(void *arg)
{
	char byte;

	while (read(there[0], &byte, 1) == 1)
		if (write(back[1], &byte, 1) != 1)
			break;
	return arg;
}

static int do_switch(void)
{
	char byte = 0;
	pthread_t t;

	if (there[1] == 0 && (pipe(there) || pipe(back) || pthread_create(&t, NULL, echo, NULL)))
		return 1;
	return write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1;
}

static const struct {
	const char *name;
	int (*run)(void);
} kinds[] = {
	{ "open", do_open }, { "stat", do_stat }, { "kill", do_kill }, { "read", do_read },
	{ "sync", do_sync }, { "setuid", do_setuid }, { "switch", do_switch },
};

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;
	long long start;

	zero = open("/dev/zero", O_RDONLY);
	scratch = memfd_create("scratch", 0);
	if (argc < 2 || zero < 0 || scratch < 0)
		return 1;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		if (strcmp(kinds[k].name, argv[1]))
			continue;
		start = cpu_time();
		for (long i = 0; i < n; i++)
			if (kinds[k].run())
				return 1;
		fprintf(stderr, "reads %ld %lld\n", n, cpu_time() - start);
		return 0;
	}
	return 1;
}
