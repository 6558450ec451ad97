// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lives.c - known numbers of processes, threads, signals and terminals for
 * tapset-*.txtar: lives processes, lives signals, lives terminal,
 * lives pingpong.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static volatile int caught;

static void count(int sig)
{
	caught += sig;
}

static void *nothing(void *arg)
{
	return arg;
}

/* Ten children that exit with 0 to 9, four threads, two children that exec true, one whose exec fails. */
static void processes(void)
{
	/* Not constants: a child has no page of the program that it has not accessed. */
	char *true_args[] = { strdup("true"), strdup("one"), strdup("two"), NULL };
	pthread_t thread;
	int i;

	for (i = 0; i < 10; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(i);
		waitpid(pid, NULL, 0);
	}
	for (i = 0; i < 4; i++) {
		if (pthread_create(&thread, NULL, nothing, NULL))
			errx(1, "pthread_create");
		pthread_join(thread, NULL);
	}
	for (i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid) {
			execv(i < 2 ? "/bin/true" : "/none/such", true_args);
			_exit(100);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Seven SIGUSR1 and two SIGRTMIN+2, three of a timer's, are caught; five SIGUSR2 are ignored; SIGURG is blocked. */
static void signals(void)
{
	struct sigaction act = { .sa_handler = count, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct itimerspec once = { .it_value.tv_nsec = 1000000 };
	timer_t timer;
	sigset_t set;
	int i;

	sigaddset(&act.sa_mask, SIGTERM);
	sigaction(SIGUSR1, &act, NULL);
	sigaction(34, &act, NULL);
	sigaction(SIGALRM, &act, NULL);
	signal(SIGUSR2, SIG_IGN);
	for (i = 0; i < 7; i++)
		kill(getpid(), SIGUSR1);
	for (i = 0; i < 2; i++)
		syscall(SYS_tgkill, getpid(), gettid(), 34);
	syscall(SYS_tkill, gettid(), 34);
	for (i = 0; i < 5; i++)
		kill(getpid(), SIGUSR2);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	sigemptyset(&set);
	for (i = 0; i < 3; i++) {
		int before = caught;

		timer_settime(timer, 0, &once, NULL);
		while (caught == before)
			;
	}
	sigaddset(&set, SIGURG);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGURG);
	sigpending(&set);
	kill(getpid(), 0);
	kill(1 << 30, SIGUSR1);
}

/* Twelve characters through a terminal and five back, after a change of its size. */
static void terminal(void)
{
	struct winsize size = { .ws_row = 33, .ws_col = 99, .ws_xpixel = 7, .ws_ypixel = 8 };
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct pollfd poll_slave = { .events = POLLIN }, poll_master = { .events = POLLIN };
	struct termios raw;
	char text[64];

	if (master < 0 || grantpt(master) || unlockpt(master) || (slave = open(ptsname(master), O_RDWR | O_NOCTTY)) < 0)
		err(1, "no terminal");
	tcgetattr(slave, &raw);
	cfmakeraw(&raw);
	tcsetattr(slave, TCSANOW, &raw);
	ioctl(slave, TIOCSWINSZ, &size);
	if (write(master, "hello there\n", 12) != 12)
		err(1, "write");
	poll_slave.fd = slave;
	poll(&poll_slave, 1, 1000);
	if (read(slave, text, sizeof(text)) != 12 || write(slave, "world", 5) != 5)
		err(1, "read");
	/* A kernel worker passes it to the master. */
	poll_master.fd = master;
	poll(&poll_master, 1, 1000);
	close(slave);
	close(master);
}

/* A hundred times, this process wakes its child and waits until the child wakes it, on one processor. */
static void pingpong(void)
{
	int there[2], back[2], i;
	cpu_set_t first;
	char c = 'x';

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	if (pipe(there) || pipe(back))
		err(1, "pipe");
	if (!fork()) {
		for (i = 0; i < 100; i++)
			if (read(there[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
				_exit(1);
		_exit(0);
	}
	for (i = 0; i < 100; i++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			err(1, "pingpong");
	wait(NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "processes"))
		processes();
	else if (!strcmp(what, "signals"))
		signals();
	else if (!strcmp(what, "terminal"))
		terminal();
	else if (!strcmp(what, "pingpong"))
		pingpong();
	else
		errx(1, "processes, signals, terminal or pingpong?");
	return 0;
}
