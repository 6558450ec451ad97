// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operations KIND N: N times what tools look at: open and close of a file, stat(2) of one, kill(2) of nobody, read(2) of a byte, a
 * connection by TCP to itself, which is accepted and closed, or a thread. Prints the CPU time of the loop in nanoseconds, which under
 * icount is the number of instructions.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct sockaddr_in to = { .sin_family = AF_INET };
static int server, zero;

static long long cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *nothing(void *arg)
{
	return arg;
}

static int do_open(void)
{
	return close(open("/dev/null", O_RDONLY));
}

static int do_stat(void)
{
	struct stat st;

	return stat("/dev/null", &st);
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

static int do_connect(void)
{
	int client = socket(AF_INET, SOCK_STREAM, 0), from;
	struct linger reset = { 1, 0 };

	if (connect(client, (struct sockaddr *)&to, sizeof(to)) || (from = accept(server, NULL, NULL)) < 0)
		return 1;
	setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));	/* leaves no port behind */
	return close(client) || close(from);
}

static int do_thread(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, nothing, NULL) || pthread_join(t, NULL);
}

static const struct {
	const char *name;
	int (*run)(void);
} kinds[] = {
	{ "open", do_open }, { "stat", do_stat }, { "kill", do_kill }, { "read", do_read }, { "connect", do_connect }, { "thread", do_thread },
};

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;
	socklen_t len = sizeof(to);
	long long start;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server = socket(AF_INET, SOCK_STREAM, 0);
	zero = open("/dev/zero", O_RDONLY);
	if (argc < 2 || zero < 0 || bind(server, (struct sockaddr *)&to, len) || listen(server, 16) || getsockname(server, (struct sockaddr *)&to, &len))
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
