// SPDX-License-Identifier: GPL-2.0-or-later
//
// Faults pages in: maps 64 pages, reads and then writes each, has a child write each, unmaps them, and makes the heap 16 pages
// larger. Prints the numbers of minor and major faults between its first and its last call of getrusage(2).
// With a FILE it only maps two pages of that, without accessing them.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 64, SIZE = 4096 };

/* Reads each page. */
static __attribute__((noipa)) int look(volatile char *at)
{
	int i, sum = 0;

	for (i = 0; i < PAGES; i++)
		sum += at[i * SIZE];
	return sum;
}

static int map_file(const char *path)
{
	return mmap(NULL, 2 * SIZE, PROT_READ, MAP_PRIVATE, open(path, O_RDONLY), 0) == MAP_FAILED;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return map_file(argv[1]);

	struct rusage before, after;
	volatile char *at = mmap((void *)0x100000000000, PAGES * SIZE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	int i, sum;

	if (at == MAP_FAILED)
		return 1;
	madvise((void *)at, PAGES * SIZE, MADV_NOHUGEPAGE);
	getrusage(RUSAGE_SELF, &before);
	sum = look(at);
	for (i = 0; i < PAGES; i++)
		at[i * SIZE] = 1;
	if (fork() == 0) {
		for (i = 0; i < PAGES; i++)
			at[i * SIZE] = 2;
		_exit(0);
	}
	wait(NULL);
	munmap((void *)at, PAGES * SIZE);
	if (sbrk(16 * SIZE) == (void *)-1)
		return 1;
	getrusage(RUSAGE_SELF, &after);
	dprintf(1, "%ld %ld\n", after.ru_minflt - before.ru_minflt, after.ru_majflt - before.ru_majflt);
	return sum;
}
