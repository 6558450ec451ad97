// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * paced RATE SECONDS: read(2) of one byte from /dev/zero on each CPU at a time,
 * RATE a second on all of them together, or with RATE 0 as fast as they go.
 * Prints how many there were and how many nanoseconds they took.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define TICK 1000000LL	/* reads come in groups, one each tick */
#define UNPACED 64	/* reads between two looks at the clock */

struct result {
	long reads;
	long long took;
};

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static void sleep_until(long long time)
{
	struct timespec t = { time / SECOND, time % SECOND };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* The loop on a CPU. Delays by other load are made up for. */
static void run(struct result *result, double rate, long long start, long long length)
{
	int fd = open("/dev/zero", O_RDONLY);
	long reads = 0, due = UNPACED;
	long long past;
	char byte;

	if (fd < 0)
		_exit(1);
	sleep_until(start);
	while ((past = now() - start) < length) {
		due = rate ? (past / TICK + 1) * TICK * rate / SECOND : reads + UNPACED;
		for (; reads < due; reads++)
			if (read(fd, &byte, 1) != 1)
				_exit(1);
		if (rate)
			sleep_until(start + (past / TICK + 1) * TICK);
	}
	result->reads = reads;
	result->took = past;
}

int main(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), status;
	struct result *results = mmap(NULL, cpus * sizeof(*results), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long long start = now() + SECOND / 10, took = 0;
	long reads = 0;

	if (argc != 3 || results == MAP_FAILED)
		return 1;
	for (int i = 0; i < cpus; i++) {
		cpu_set_t set;

		if (fork())
			continue;
		CPU_ZERO(&set);
		CPU_SET(i, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			_exit(1);
		run(&results[i], atof(argv[1]) / cpus, start, atof(argv[2]) * SECOND);
		_exit(0);
	}
	while (wait(&status) > 0)
		if (status)
			return 1;
	for (int i = 0; i < cpus; i++) {
		reads += results[i].reads;
		if (took < results[i].took)
			took = results[i].took;
	}
	fprintf(stderr, "paced %ld %lld\n", reads, took);
	return 0;
}
