// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reads N: N times read(2) of one byte from /dev/zero, the load for measuring the
 * cost per hit. Prints the CPU time of the loop in nanoseconds,
 * which under icount is the number of instructions.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000000;
	int fd = open("/dev/zero", O_RDONLY);
	long long start;
	char byte;

	if (fd < 0)
		return 1;
	start = cpu_time();
	for (long i = 0; i < n; i++)
		if (read(fd, &byte, 1) != 1)
			return 1;
	fprintf(stderr, "reads %ld %lld\n", n, cpu_time() - start);
	return 0;
}
