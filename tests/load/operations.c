// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operations KIND N: N operations of a kind in the table below, which a tool traces. Prints "reads", N and the instructions
 * that the whole machine takes for them, tracers included, less those that it takes while nothing is done: the CPU time of all tasks, in
 * nanoseconds, each of which is an instruction where the clock counts these (icount).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define MOST 1000	/* operations of those that are prepared */

static int fd, there[2], back[2], server, pairs[MOST][2];
static char *volatile area;

/* The CPU time of all tasks so far. A running task's time is accounted when it stops running. */
static long long busy(void)
{
	char line[512];
	long long all = 0, one;
	FILE *f;

	usleep(1000);
	f = fopen("/proc/schedstat", "r");
	if (f == NULL)
		exit(1);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "cpu%*d %*d %*d %*d %*d %*d %*d %lld", &one) == 1)
			all += one;
	fclose(f);
	return all;
}

/* Instructions of this process alone, without traced operations. */
static int spin(long instructions)
{
	for (long i = 0; i < instructions / 2; i++)
		asm volatile("");
	return 0;
}

static int do_open(int i)
{
	return close(open("/dev/null", O_RDONLY));
}

static int do_stat(int i)
{
	struct stat st;

	return syscall(SYS_stat, "/dev/null", &st);	/* the call that the tools trace; the C library calls newfstatat */
}

static int do_kill(int i)
{
	return kill(getpid(), 0);
}

static int open_zero(int n)
{
	return fd = open("/dev/zero", O_RDONLY);
}

static int do_read(int i)
{
	char byte;

	return read(fd, &byte, 1) != 1;
}

static int open_memory(int n)
{
	return fd = memfd_create("scratch", 0);
}

static int do_sync(int i)
{
	return fsync(fd);
}

static int do_setuid(int i)
{
	return setresuid(0, 0, 0);
}

/* The kernel checks a capability for this. */
static int do_chroot(int i)
{
	return chroot("/");
}

static void *echo(void *arg)
{
	char byte;

	while (read(there[0], &byte, 1) == 1)
		if (write(back[1], &byte, 1) != 1)
			break;
	return arg;
}

static int start_echo(int n)
{
	pthread_t t;

	return pipe(there) || pipe(back) || pthread_create(&t, NULL, echo, NULL) ? -1 : 0;
}

static int do_switch(int i)
{
	char byte = 0;

	return write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1;
}

static int do_tick(int i)
{
	return spin(10000000);
}

static int open_disk(int n)
{
	area = aligned_alloc(PAGE, PAGE);
	return fd = open("/dev/nullb0", O_RDONLY | O_DIRECT);
}

static int do_disk(int i)
{
	return pread(fd, area, PAGE, (off_t)PAGE * i) != PAGE;
}

static int do_exec(int i)
{
	char *argv[] = { "true", NULL }, *envp[] = { NULL };
	int status;
	pid_t pid;

	return posix_spawn(&pid, "/bin/busybox", NULL, NULL, argv, envp) || waitpid(pid, &status, 0) != pid || status;
}

static int exec_once(int n)
{
	return do_exec(0) ? -1 : 0;
}

static int do_lookup(int i)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST }, *found;

	if (getaddrinfo("127.0.0.1", NULL, &hints, &found))
		return 1;
	freeaddrinfo(found);
	return 0;
}

/* A line that bash reads and obeys. */
static int do_readline(int i)
{
	char byte;

	return write(there[1], "echo\n", 5) != 5 || read(back[0], &byte, 1) != 1;
}

static int start_bash(int n)
{
	if (pipe(there) || pipe(back))
		return -1;
	switch (fork()) {
	case -1:
		return -1;
	case 0:
		dup2(there[0], 0);
		dup2(back[1], 1);
		dup2(open("/dev/null", O_WRONLY), 2);
		close(there[1]);
		close(back[0]);
		execlp("bash", "bash", "--norc", "-i", NULL);
		_exit(127);
	}
	close(there[0]);
	close(back[1]);
	return do_readline(0) ? -1 : 0;	/* it is there */
}

static void *nothing(void *arg)
{
	return arg;
}

static int do_thread(int i)
{
	pthread_t t;

	return pthread_create(&t, NULL, nothing, NULL) || pthread_join(t, NULL);
}

/* A process that wants more than its cgroup, /sys/fs/cgroup/small, may have. */
static int do_oom(int i)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int procs = open("/sys/fs/cgroup/small/cgroup.procs", O_WRONLY);

		area = malloc(16 << 20);
		if (write(procs, "0", 1) == 1)
			memset(area, 1, 16 << 20);
		_exit(0);
	}
	return waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status);
}

static int swap_out(int n)
{
	area = mmap(NULL, (size_t)PAGE * n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(area, 1, (size_t)PAGE * n);
	return madvise(area, (size_t)PAGE * n, MADV_PAGEOUT);
}

static int do_swapin(int i)
{
	return area[(size_t)PAGE * i] != 1;
}

static struct sockaddr_in to = { .sin_family = AF_INET };

static int start_server(int n)
{
	int one = 1;

	to.sin_port = htons(5500);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	return bind(server, (struct sockaddr *)&to, sizeof(to)) || listen(server, 8) ? -1 : 0;
}

static int do_connect(int i)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	struct linger reset = { .l_onoff = 1 };

	if (connect(s, (struct sockaddr *)&to, sizeof(to)) || (pairs[i][1] = accept(server, NULL, NULL)) < 0)
		return 1;
	pairs[i][0] = s;
	setsockopt(s, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));	/* leaves no connection in TIME_WAIT */
	return 0;
}

static int do_connection(int i)
{
	return do_connect(i) || close(pairs[i][1]) || close(pairs[i][0]);
}

/* Connections whose one end drops all that it receives. */
static int connect_deaf(int n)
{
	struct sock_filter none = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog filter = { .len = 1, .filter = &none };

	if (start_server(n))
		return -1;
	for (int i = 0; i < n; i++)
		if (do_connect(i) || setsockopt(pairs[i][1], SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)))
			return -1;
	return 0;
}

static int do_send(int i)
{
	return send(pairs[i][0], "x", 1, 0) != 1;
}

/* The kernel retransmits unacknowledged data, by a timer that interrupts this process. */
static int wait_retransmissions(void)
{
	return spin(450000000);
}

/* The loopback device takes no packets while this runs: see the setup in tests/bench/tools.go. */
static int do_drop(int i)
{
	int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	connect(s, (struct sockaddr *)&to, sizeof(to));
	return close(s);
}

static int refuse_packets(int n)
{
	to.sin_port = htons(5500);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return system("tc qdisc add dev lo root pfifo limit 0");
}

static int take_packets(void)
{
	return system("tc qdisc del dev lo root");
}

static int open_ext4(int n)
{
	return fd = open("/mnt/ext4/file", O_RDWR | O_CREAT, 0600);
}

static int do_writeback(int i)
{
	if (pwrite(fd, "x", 1, (off_t)PAGE * i) != 1)
		return 1;
	sync();
	return 0;
}

static int open_xfs(int n)
{
	fd = open("/mnt/xfs/file", O_RDWR | O_CREAT, 0600);
	return write(fd, "x", 1) == 1 ? 0 : -1;
}

static int do_xfs(int i)
{
	char byte;

	return pread(fd, &byte, 1, 0) != 1;
}

static const struct {
	const char *name;
	int (*prepare)(int n);	/* before anything is counted; less than 0 if it fails */
	int (*run)(int i);
	int (*finish)(void);
} kinds[] = {
	{ "open", NULL, do_open }, { "stat", NULL, do_stat }, { "kill", NULL, do_kill }, { "read", open_zero, do_read },
	{ "sync", open_memory, do_sync }, { "setuid", NULL, do_setuid }, { "chroot", NULL, do_chroot }, { "switch", start_echo, do_switch }, { "tick", NULL, do_tick },
	{ "disk", open_disk, do_disk }, { "exec", exec_once, do_exec }, { "lookup", NULL, do_lookup }, { "readline", start_bash, do_readline },
	{ "thread", NULL, do_thread }, { "oom", NULL, do_oom }, { "swapin", swap_out, do_swapin },
	{ "connection", start_server, do_connection }, { "retransmission", connect_deaf, do_send, wait_retransmissions },
	{ "drop", refuse_packets, do_drop, take_packets }, { "writeback", open_ext4, do_writeback }, { "xfs", open_xfs, do_xfs },
};

/* The whole machine's instructions while n operations are done, and in the half second after them. */
static long long instructions(int k, int n)
{
	long long start = busy();

	for (int i = 0; i < n; i++)
		if (kinds[k].run(i)) {
			perror(kinds[k].name);
			exit(1);
		}
	if (n && kinds[k].finish && kinds[k].finish())
		exit(1);
	usleep(500000);
	return busy() - start;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;
	long long none;

	for (size_t k = 0; n <= MOST && k < sizeof(kinds) / sizeof(*kinds); k++) {
		if (strcmp(kinds[k].name, argv[1]))
			continue;
		if (kinds[k].prepare && kinds[k].prepare(n) < 0) {
			perror(argv[1]);
			return 1;
		}
		none = instructions(k, 0);
		fprintf(stderr, "reads %d %lld\n", n, instructions(k, n) - none);
		return 0;
	}
	return 1;
}
