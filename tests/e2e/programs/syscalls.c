// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscalls - makes system calls with known arguments, valid and invalid ones, by
 * the entry of 64-bit programs and by that of 32-bit ones (int $0x80). Pointers
 * point into the first 4 GiB, to addresses that are the same in each run.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *const memory = (char *)0x10000000;

static long call64(long nr, long a, long b, long c, long d, long e, long f)
{
	return syscall(nr, a, b, c, d, e, f);
}

static long call32(long nr, long a, long b, long c, long d, long e, long f)
{
	long r;

	/* The sixth argument goes in %ebp. */
	asm volatile("xchg %%rbp, %1; int $0x80; xchg %%rbp, %1"
		     : "=a"(r), "+r"(f) : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
		     : "memory", "r8", "r9", "r10", "r11");
	return r;
}

#define C64(nr, ...) C64_(nr, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define C64_(nr, a, b, c, d, e, f, ...) call64(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define C32(nr, ...) C32_(nr, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define C32_(nr, a, b, c, d, e, f, ...) call32(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static char *put(int at, const void *data, int n)
{
	return memcpy(memory + at, data, n);
}

static char *text(int at, const char *s)
{
	return put(at, s, strlen(s) + 1);
}

static void of64(void)
{
	char *path = text(0, "/nonexistent/a"), *other = text(64, "/tmp/b\n"), *buf = memory + 4096;
	long time[4] = { 0, 5000, 2, 7000 };
	char *times = put(128, time, sizeof(time));
	unsigned long mask = 1 << 9;
	char *set = put(192, &mask, sizeof(mask));
	char *inet = put(256, "\2\0\0\120\177\0\0\1\0\0\0\0\0\0\0", 16), *local = put(288, "\1\0/tmp/s", 9);
	long words[3] = { (long)path, (long)other, 0 };
	char *list = put(320, words, sizeof(words));

	C64(SYS_open, path, 0);
	C64(SYS_open, path, 0101, 0644);
	C64(SYS_open, -1, -1);
	C64(SYS_openat, -100, other, 02000000, 0);
	C64(SYS_openat, 77, -1, 0x410002, 0600);
	C64(SYS_close, -1);
	C64(SYS_read, -1, buf, 16);
	C64(SYS_write, -1, path, 4);
	C64(SYS_write, -1, memset(buf, 'x', 100), 100);
	C64(SYS_write, -1, -1, 5);
	C64(SYS_pread64, -1, buf, 16, 5000000000);
	C64(SYS_pwrite64, -1, path, 3, -1);
	C64(SYS_readv, -1, buf, 3);
	C64(SYS_lseek, -1, -5, 2);
	C64(SYS_access, path, 7);
	C64(SYS_access, path, 0);
	C64(SYS_stat, path, buf);
	C64(SYS_newfstatat, -100, path, buf, 0x100);
	C64(SYS_fstat, -1, buf);
	C64(SYS_mkdir, path, 0755);
	C64(SYS_mknod, path, 0100644, 0);
	C64(SYS_chown, path, 10, -1);
	C64(SYS_chmod, path, 0600);
	C64(SYS_unlinkat, -100, path, 0x200);
	C64(SYS_rename, path, other);
	C64(SYS_umask, 022);
	C64(SYS_mmap, 0, 4096, 3, 0x22, -1, 0x8000000000000001);
	C64(SYS_mprotect, 1, 4096, 0);
	C64(SYS_madvise, 1, 4096, 4);
	C64(SYS_munmap, 1, 4096);
	C64(SYS_kill, 0x7ffffffe, 10);
	C64(SYS_rt_sigprocmask, 0, set, 0, 8);
	C64(SYS_rt_sigprocmask, 1, set, 0, 8);
	C64(SYS_rt_sigaction, 99, 0, 0, 8);
	C64(SYS_nanosleep, times, 0);
	C64(SYS_clock_nanosleep, 99, 1, -1, 0);
	C64(SYS_setitimer, 9, times, 0);
	C64(SYS_utimensat, -100, path, times, 0);
	C64(SYS_socket, 99, 1, 0);
	C64(SYS_socket, 2, 99, 6);
	C64(SYS_bind, -1, inet, 16);
	C64(SYS_connect, -1, local, 9);
	C64(SYS_setsockopt, -1, 1, 2, buf, 4);
	C64(SYS_sendto, -1, path, 4, 0x4040, inet, 16);
	C64(SYS_recvfrom, -1, buf, 16, 0, 0, 0);
	C64(SYS_poll, 0, 0, 0);
	C64(SYS_select, 0, 0, 0, 0, put(384, (long[2]){ 0, 10 }, 16));
	C64(SYS_futex, buf, 1, 1, 0, 0, 0);
	C64(SYS_futex, buf, 0x80, 5, 0, 0, 0);
	C64(SYS_ioctl, -1, 0x5401, buf);
	C64(SYS_fcntl, -1, 4, 0x800);
	C64(SYS_dup3, -1, 5, 02000000);
	C64(SYS_pipe2, -1, 02000000);
	C64(SYS_execve, path, list, list);
	C64(SYS_wait4, 0x7ffffffe, 0, 1, 0);
	C64(SYS_setuid, -1);
	C64(SYS_getpid);
	C64(SYS_prlimit64, 0, 7, 0, buf);
	C64(SYS_semget, 0, -1, 01600);
	C64(SYS_prctl, 4, 9, 0, 0, 0);
	C64(SYS_io_uring_enter, -1, 1, 2, 1, 0, 0);
	C64(SYS_close_range, 9, 8, 4);
	C64(437, -100, path, put(448, (long[3]){ 0x80000, 0, 8 }, 24), 24);
	C64(449, buf, 0, 0, 0, 1);
	C64(SYS_write, -1, put(512, "a\0\303\244", 4), 4);
	C64(SYS_setxattr, path, other, put(520, "\1b\"", 3), 3, 1);
	C64(SYS_swapon, path, 0x8005);
	C64(SYS_timerfd_create, 99, 1);
	C64(435, put(576, (long[8]){ 0x20200, 0, 0, 0, 17, 0, 0, 0 }, 64), 64);
	C64(445, -1, 1, put(640, (long[2]){ 5, 7 }, 16), 0);
	C64(427, 999, 0, put(656, (long[2]){ 1, 2 }, 16), 1);
	C64(SYS_adjtimex, -1);
	C64(SYS_chown, path, 0x80000005, -1);
	C64(SYS_fchownat, -100, path, -1, 0xfffffffe, 0);
	C64(SYS_munlock, 4096, -1);
	C64(SYS_futex, 1, 1, -1, 0, 0, 0);
	C64(SYS_utime, path, 0);
	C64(SYS_utime, path, put(768, (long[2]){ 1L << 62, 5 }, 16));
	C64(SYS_unlinkat, -1, -1, -1);
	C64(SYS_msgget, 5, 0);
	C64(SYS_mount, path, path, other, 0xc0ed000e, 0);
	C64(SYS_mount, path, path, other, 0xc0ed0000, 0);
	C64(427, 5, 0x80000014, 0, 0);
	C64(431, -1, 3, other, path, -100);         /* fsconfig */
	C64(SYS_sigaltstack, put(784, (long[3]){ 0x1000, 0x80000000, 8 }, 24), 0);
}

static void of32(void)
{
	char *path = text(0, "/nonexistent/a"), *buf = memory + 4096;
	char *times = put(128, (int[4]){ 0, 5000, 2, 7000 }, 16);
	char *inet = put(256, "\2\0\0\120\177\0\0\1\0\0\0\0\0\0\0", 16);
	char *args = put(320, (int[3]){ -1, (int)(long)inet, 16 }, 12);

	C32(5, path, 0101, 0644);                        /* open */
	C32(5, -1, 0);
	C32(295, -100, path, 0);                         /* openat */
	C32(6, -1);                                      /* close */
	C32(4, -1, path, 4);                             /* write */
	C32(180, -1, buf, 16, 5, 1);                     /* pread64 */
	C32(19, -1, -5, 2);                              /* lseek */
	C32(195, path, buf);                             /* stat64 */
	C32(182, path, 10, 0xffff);                      /* chown */
	C32(192, 0, 4096, 3, 0x22, -1, 1);               /* mmap2 */
	C32(162, times, 0);                              /* nanosleep */
	C32(240, buf, 0, 5, times, 0, 0);                /* futex */
	C32(102, 2, args);                               /* socketcall: bind */
	C32(117, 2, 0, -1, 01600);                       /* ipc: semget */
	C32(361, -1, inet, 16);                          /* bind */
	C32(366, -1, 1, 2, buf, 4);                      /* setsockopt */
	C32(347, 0x7ffffffe, 0, 0, 0, 0, 1);             /* process_vm_readv */
	C32(396, 5, 0x102, buf);                         /* shmctl */
	C32(319, -1, buf, 3, 0, 0, 8);                   /* epoll_pwait */
	C32(239, -1, -1, 0, 5);                          /* sendfile64 */
	C32(187, -1, -1, 0, 5);                          /* sendfile */
	C32(89, -1, buf, 1);                             /* readdir */
	C32(20);                                         /* getpid */
	C32(11, path, put(384, (int[2]){ (int)(long)path, 0 }, 8), 0); /* execve */
}

int main(void)
{
	/* The calls between the two getppid are compared. */
	if (mmap(memory, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != memory)
		return 1;
	syscall(SYS_getppid);
	of64();
	of32();
	syscall(SYS_getppid);
	return 0;
}
