// SPDX-License-Identifier: GPL-2.0-or-later
// userfault.c - memory that only a server can bring: of userfaultfd, of FUSE, of a disk.
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

static __attribute__((noipa)) void show(const char *what, const char *at, int n)
{
	__asm__ volatile("" : : "r"(what), "r"(at), "r"(n) : "memory");
}

static long check(long result, const char *what)
{
	if (result < 0) {
		perror(what);
		_exit(1);
	}
	return result;
}

/* Memory that is served through the descriptor. */
static char *served(int *fd, long size)
{
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = { { (long)at, size }, UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { UFFD_API };

	*fd = check(syscall(SYS_userfaultfd, 0), "userfaultfd");
	check(ioctl(*fd, UFFDIO_API, &api), "UFFDIO_API");
	check(ioctl(*fd, UFFDIO_REGISTER, &range), "UFFDIO_REGISTER");
	return at;
}

static void with_userfaultfd(void)
{
	int fd;
	char *at = served(&fd, PAGE);
	static char page[PAGE] __attribute__((aligned(PAGE))) = "here";
	struct uffdio_copy copy = { (long)at, (long)page, PAGE };

	show("userfaultfd", at, 4);
	check(ioctl(fd, UFFDIO_COPY, &copy), "UFFDIO_COPY");
	show("userfaultfd, served", at, 4);
}

static void caught(int number)
{
}

/* The signals' stack is memory that nobody serves. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = caught, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_size = 16 * PAGE };
	int fd;

	stack.ss_sp = served(&fd, stack.ss_size);
	check(sigaltstack(&stack, NULL), "sigaltstack");
	check(sigaction(SIGUSR1, &action, NULL), "sigaction");
}

/* Serves one file. Reads and closing it are not answered while *silent is set. */
static void serve(int fd, volatile int *silent)
{
	static char in[1 << 17];
	struct fuse_attr dir = { .ino = 1, .mode = S_IFDIR | 0555, .nlink = 1 };
	struct fuse_attr file = { .ino = 2, .mode = S_IFREG | 0444, .nlink = 1, .size = PAGE };

	while (read(fd, in, sizeof(in)) > 0) {
		struct fuse_in_header *asked = (void *)in;
		struct {
			struct fuse_out_header header;
			union {
				struct fuse_init_out init;
				struct fuse_entry_out entry;
				struct fuse_attr_out attr;
				struct fuse_open_out open;
				char data[PAGE];
			};
		} out = { { .unique = asked->unique } };
		int size = 0;

		switch (asked->opcode) {
		case FUSE_INIT:
			out.init = (struct fuse_init_out){ .major = 7, .minor = 31, .max_write = PAGE, .max_readahead = PAGE };
			size = sizeof(out.init);
			break;
		case FUSE_LOOKUP:
			out.entry = (struct fuse_entry_out){ .nodeid = 2, .attr = file, .entry_valid = 99, .attr_valid = 99 };
			size = sizeof(out.entry);
			break;
		case FUSE_GETATTR:
			out.attr = (struct fuse_attr_out){ .attr = asked->nodeid == 1 ? dir : file, .attr_valid = 99 };
			size = sizeof(out.attr);
			break;
		case FUSE_OPEN:
			size = sizeof(out.open);
			break;
		case FUSE_READ:
			if (*silent)
				continue;
			strcpy(out.data, "here");
			size = PAGE;
			break;
		case FUSE_FLUSH:
			if (*silent)
				continue;
			break;
		case FUSE_FORGET:
		case FUSE_BATCH_FORGET:
		case FUSE_INTERRUPT:
			continue;
		default:
			out.header.error = -38;
		}
		out.header.len = sizeof(out.header) + size;
		if (write(fd, &out, out.header.len) < 0)
			perror("reply");
	}
	_exit(0);
}

/* Returns the server's pid. */
static int mount_fuse(volatile int *silent)
{
	int fd = check(open("/dev/fuse", O_RDWR), "/dev/fuse"), server;
	char options[99];

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	check(mount("none", "mnt", "fuse.test", MS_RDONLY, options), "mount");
	server = check(fork(), "fork");
	if (!server)
		serve(fd, silent);
	close(fd);
	return server;
}

static void with_fuse(void)
{
	volatile int *silent = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *at;
	int server;

	*silent = 1;
	server = mount_fuse(silent);
	at = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, check(open("mnt/file", O_RDONLY), "mnt/file"), 0);
	show("FUSE", at, 4);
	*silent = 0;
	*(volatile char *)at;
	show("FUSE, read", at, 4);
	madvise((void *)at, PAGE, MADV_DONTNEED);
	show("FUSE, cached", at, 4);
	kill(server, SIGKILL);
	umount2("mnt", MNT_DETACH);
}

/* A child that spins after it has opened a file of a server, or has its signals' stack where a server brings the memory. */
static int spinning(const char *name, int file)
{
	int pid = check(fork(), "fork");

	if (pid)
		return pid;
	prctl(PR_SET_NAME, name);
	if (file)
		check(open("mnt/file", O_RDONLY), "mnt/file");
	else
		catch_signals();
	for (;;)
		__asm__ volatile("");
}

static void stuck(void)
{
	volatile int *silent = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int null = check(open("/dev/null", O_RDWR), "/dev/null"), files, signals, debugged;

	/* Who reads what the test prints must not wait for processes that stay behind. */
	dup2(null, 1);
	dup2(null, 2);
	mount_fuse(silent);
	files = spinning("files", 1);
	signals = spinning("signals", 0);
	debugged = spinning("debugged", 0);
	usleep(500000);
	*silent = 1;
	kill(files, SIGKILL);
	kill(signals, SIGUSR1);
	check(ptrace(PTRACE_ATTACH, debugged, NULL, NULL), "attach");
	waitpid(debugged, NULL, 0);
	check(ptrace(PTRACE_DETACH, debugged, NULL, NULL), "detach");
	usleep(500000);
}

static void cold(const char *what, const char *path, int advice)
{
	int fd = check(open(path, O_RDONLY), path);
	char *at = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	unsigned char there;

	check(madvise(at, PAGE, advice), "madvise");
	do
		check(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
	while (!mincore(at, PAGE, &there) && there & 1);
	show(what, at + 1, 3);
	munmap(at, PAGE);
	close(fd);
}

int main(int argc, char **argv)
{
	if (!strcmp(argv[1], "stuck")) {
		stuck();
		return 0;
	}
	with_userfaultfd();
	with_fuse();
	show("shared, untouched", mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0), 4);
	cold("disk, cold", argv[1], MADV_NORMAL);
	cold("disk, cold, random", argv[1], MADV_RANDOM);
}
