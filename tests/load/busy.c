/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * busy [THREADS]: a load that goes through much of the kernel - files, pipes,
 * memory, processes, signals, timers, sockets - until it is killed. Each thread
 * prints a byte now and then: so the reader sees that the machine is alive.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void files(int n)
{
	char name[64], text[4096];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "/dev/shm/busy-%d-%d", getpid(), n);
	fd = open(name, O_CREAT | O_RDWR, 0600);
	if (fd < 0)
		return;
	memset(text, 'x', sizeof(text));
	if (write(fd, text, sizeof(text)) == sizeof(text))
		pread(fd, text, sizeof(text), 0);
	fstat(fd, &st);
	ftruncate(fd, 1);
	close(fd);
	unlink(name);
	fd = open("/proc/self/status", O_RDONLY);
	while (read(fd, text, sizeof(text)) > 0)
		;
	close(fd);
	fd = open("/proc/stat", O_RDONLY);
	while (read(fd, text, sizeof(text)) > 0)
		;
	close(fd);
}

static void pipes(void)
{
	char text[64] = "text";
	int fd[2];

	if (!pipe(fd)) {
		write(fd[1], text, sizeof(text));
		read(fd[0], text, sizeof(text));
		close(fd[0]);
		close(fd[1]);
	}
	if (!socketpair(AF_UNIX, SOCK_STREAM, 0, fd)) {
		write(fd[1], text, sizeof(text));
		read(fd[0], text, sizeof(text));
		close(fd[0]);
		close(fd[1]);
	}
}

static void memory(void)
{
	char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	for (int i = 0; i < 1 << 20; i += 4096)
		p[i] = 1;
	mprotect(p, 1 << 19, PROT_READ);
	munmap(p, 1 << 20);
}

static void processes(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void *work(void *arg)
{
	long n = (long)arg;

	for (int i = 0;; i++) {
		struct timespec nap = { 0, 100000 };

		files(n);
		pipes();
		memory();
		if (i % 4 == 0)
			processes();
		if (i % 8 == 0)
			nanosleep(&nap, NULL);
		if (i % 16 == 0)
			write(1, ".", 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 2;
	pthread_t t;

	for (long i = 1; i < n; i++)
		pthread_create(&t, NULL, work, (void *)i);
	work(NULL);
	return 0;
}
