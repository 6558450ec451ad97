/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protocol.h - the interface between the runtime and the consumer.
 * consumer/protocol.go holds the same numbers; a test compares the two.
 */
#ifndef GOSTAP_PROTOCOL_H
#define GOSTAP_PROTOCOL_H

/*
 * Output: one buffer for each CPU, /proc/gostap-MODULE/cpuN (mode 0400), mapped
 * by the consumer. That of a CPU which has never been online can't be opened
 * yet: ENXIO. A buffer consists of sub-buffers of equal size, used in turn. Each begins with a gs_subbuf; records follow it
 * without gap, each at a multiple of 8 bytes. A record is wholly written
 * before `committed` (store-release) covers it, so what lies below
 * `committed` (load-acquire) may be read while the sub-buffer is being filled.
 * The host runtime writes the same records (without gs_subbuf) to a pipe.
 */
struct gs_subbuf {
	unsigned long long seq;	       /* 1, 2, 3 … as sub-buffers are begun on this CPU; 0: never used */
	unsigned int committed;	       /* bytes, this header included */
	unsigned int closed;	       /* 1 once no more will come in it */
	unsigned long long lost;       /* records of this CPU lost before it was begun */
	unsigned long long written;    /* records of this CPU written before it was begun */
};

struct gs_record {
	unsigned int len;	       /* bytes, header included, padding to 8 not */
	unsigned short kind;	       /* GS_REC_* */
	unsigned short point;	       /* index of the point that fired; 0xffff if none or too high */
	unsigned long long time;       /* ns since boot, or TSC ticks; see GS_A_CLOCK_* */
};
/*
 * All records of one handler run carry the same time, and stand together.
 * Across CPUs, handlers that hold a common lock have ascending times.
 */

#define GS_REC_PRINT 1	   /* u32 format (index in the manifest), then its arguments: a long is 8 bytes, \
			      a string is u16 length and its bytes; nothing is aligned */
#define GS_REC_TEXT 2	   /* bytes to write unchanged */
#define GS_REC_HIST 3	   /* u32 hist (index in the manifest), then s64 counts, one for each bucket */
#define GS_REC_SYSTEM 4	   /* a command for system(), without NUL */
#define GS_REC_STACK 5	   /* u32 GS_STACK_*, then u64 kernel addresses, to be printed a line each with their symbols */

#define GS_REC_USTACK 6	   /* u32 GS_USTACK_*, u32 process as the consumer counts, then gs_frames: a program's stack, a line each with their symbols */

#define GS_REC_SWITCH_FILE 7 /* empty: the output continues in the next file */

#define GS_REC_TASK 8	   /* a gs_task: in what thread the handler runs whose records follow. Only in modules of scripts that \
			      are built with it (gs_program.tasks) */
struct gs_task {
	unsigned int pid;	       /* the process, 0 in the idle loop */
	unsigned int tid;
	char thread[16];	       /* the names of the thread and of the process's first, padded with NULs */
	char process[16];
};

#define GS_STACK_RETURN 1    /* a function's return: the first address is the function, the second where it returns to */
#define GS_STACK_LINES 2     /* with file and line */

/* An address of a process. */
struct gs_frame {
	unsigned long long addr;
	unsigned int image;	       /* what file is mapped there: an image of GS_IOC_IMAGE, or GS_NO_IMAGE; and GS_FRAME_CALL */
	unsigned int offset;	       /* in the file */
};
#define GS_FRAME_CALL 0x80000000u /* addr is behind a call: its symbol is that of the byte before */
#define GS_NO_IMAGE 0x7fffffffu
#define GS_VDSO 0	     /* the kernel's own image, which it maps into every process */
#define GS_KERNEL 1	     /* the kernel itself */

#define GS_USTACK_BRIEF 1     /* name and offset only */
#define GS_USTACK_LINES 2     /* with file and line */
#define GS_USTACK_BUSY 4      /* cut: the process's mappings could not be looked at, they were being changed */
#define GS_USTACK_FAULT 8     /* cut: memory could not be read */
#define GS_USTACK_GUESSED 16  /* some callers are from frame pointers, as there was no table: they may be wrong */
#define GS_USTACK_DEEP 32     /* cut: it is deeper */

/*
 * The host runtime writes its records to file descriptor 3, and messages and
 * statistics as two more kinds of records. It takes SIGINT and SIGTERM for STOP.
 */
#define GS_REC_MESSAGE 16  /* u32 GS_MSG_*, then TEXT, NEAR and POINT as strings: u16 length and bytes */
#define GS_REC_STATS 17	   /* the last record: u32 GS_STATE_*, u32 points unarmed, \
			      u64 errors, u64 lost, u64 written, u64 for each of GS_SKIP_* */
#define GS_REC_VIEW 18	   /* at the end, of a script that was built with --monitor: u32 view as in gs_view_read, then its rows or some */

/*
 * Opening a cpuN file takes CAP_SYS_ADMIN. The open file that was first used for
 * GS_IOC_GEOMETRY is the reader's, until it is closed; others may map the buffer,
 * but give nothing back.
 */
struct gs_geometry {
	unsigned int size;	       /* of a sub-buffer */
	unsigned int n;		       /* sub-buffers */
	unsigned long long consumed;   /* sub-buffers given back so far: seq of the last of them */
	unsigned long long first;      /* of this CPU's records, counted from 0, the first not read */
};

/* ioctls on a cpuN file; EBUSY and EPERM: somebody else is its reader. */
#define GS_IOC_CONSUMED 0x4701	     /* the oldest n sub-buffers have been read (n in arg) */
#define GS_IOC_GEOMETRY 0x80184702u  /* copies a gs_geometry to arg */
#define GS_IOC_FIRST 0x4703	     /* this CPU's records have been read up to the one of number arg: for the next reader */

/*
 * Ownership and messages: a generic netlink family, named by the module's
 * parameter `family` ("gs" and 12 hex digits), version 1. Every command takes
 * CAP_SYS_ADMIN, and is short: generic netlink serves one at a time, system-wide.
 * The sender of ATTACH owns the session: it gets the messages, and when its
 * socket is closed the session stops (unless detached).
 * Module parameters: family, subbuf_size (bytes), n_subbufs.
 */
#define GS_CMD_STATS 3	   /* answers with STATS */
#define GS_CMD_MESSAGE 4   /* kernel to owner: MSG_KIND, TEXT, (NEAR, POINT) */
#define GS_CMD_ATTACH 5	   /* makes the sender the owner, and nothing is overwritten any more; answers with STATS. \
			      EBUSY: there is an owner; EAGAIN: what the last one left is still being ended */
#define GS_CMD_DETACH 6	   /* the session goes on without owner; answers with STATS */

#define GS_A_MSG_KIND 5	     /* u32 GS_MSG_* */
#define GS_A_TEXT 6	     /* string */
#define GS_A_NEAR 7	     /* string: where in the script, "" if unknown */
#define GS_A_POINT 8	     /* string: the probe point, "" if none */
#define GS_A_CLOCK_NOW 9     /* u64: now, on the clock of record times */
#define GS_A_CLOCK_NS 10     /* u64: the same moment in ns of CLOCK_MONOTONIC */
#define GS_A_CLOCK_KHZ 11    /* u32: ticks per ms if times are TSC ticks; 0 if they are ns */
#define GS_A_STATE 12	     /* u32 GS_STATE_* */
#define GS_A_ERRORS 13	     /* u64: handler errors so far */
#define GS_A_SKIPPED 14	     /* binary: u64 for each of GS_SKIP_* */
#define GS_A_LOST 15	     /* binary: u64 records lost, for each CPU */
#define GS_A_UNARMED 16	     /* u32: points that could not be armed */
#define GS_A_WRITTEN 17	     /* binary: u64 records written, for each CPU */
#define GS_A_OVERWRITTEN 18  /* binary: u64 of those, the ones overwritten before they were read, for each CPU */
#define GS_A_FIRST 19	     /* binary: u64 gs_geometry.first, for each CPU */
#define GS_A_OWNER 20	     /* u32: the owner's process, as it is numbered where it runs; 0 if there is none */
#define GS_A_MEMORY 21	     /* u64: bytes that the script's data take */
#define GS_A_KPROBES 22	     /* u32: kprobes that START has registered: /sys/kernel/debug/kprobes/enabled concerns them */
#define GS_A_LOADED 23	     /* u64: when the module was loaded, in ns of CLOCK_REALTIME */

/*
 * Start and stop: ioctls on /proc/gostap-MODULE/control (mode 0600,
 * CAP_SYS_ADMIN to open), which take as long as the begin probes, arming and
 * the end probes do. These run in the calling process. If STOP is not called by
 * the owner, the owner is sent GS_MSG_EXIT.
 */
struct gs_start {
	unsigned long long addrs;      /* user address: u64 for each of the manifest's symbols; 0 if not found */
	unsigned long long globals;    /* user address: "name=value" strings, each with its NUL */
	unsigned int naddrs;
	unsigned int globals_size;     /* bytes */
	long long target;
	unsigned int flags;	       /* GS_F_* */
	unsigned int nfiles;
	unsigned long long files;      /* user address: int for each of the manifest's images, a file descriptor for those
					  that have a path; -1 if there is no such file */
};
#define GS_IOC_START 0x40304710u     /* runs begin probes, arms the others. Takes CAP_SYS_MODULE: addresses are trusted, but those \
			      in modules that have come or gone since this one was loaded */
#define GS_IOC_STOP 0x4711	     /* disarms, runs end (or error) probes */

/*
 * Images: files of machine code in processes' stacks that were unwound, numbered in
 * this order; the vdso and the kernel have fixed numbers. The owner is told of new
 * ones by GS_MSG_IMAGES, and sends their tables. Only in modules of scripts that
 * use programs' stacks, or lines: else EOPNOTSUPP.
 */
struct gs_next_image {
	unsigned int image;	       /* in: the lowest number wanted. out: the next one that exists */
	int fd;			       /* out: the file, opened for reading; -1: it could not be opened, or has its table */
	unsigned long long path;       /* user address: out: the path in its table, with its NUL; "" if there is none */
	unsigned int path_size;
	unsigned int pad;	       /* 0 */
};
#define GS_IOC_IMAGE 0xc0184712u     /* ENOENT: there are no more */

/* Offsets are those of the file's bytes, and ascend. */
struct gs_image_table {
	unsigned int image;	       /* GS_NO_IMAGE: that of the file fd, and out: its number */
	int fd;
	unsigned int nrows;
	unsigned int nrules;
	unsigned int nsymbols;
	unsigned int names_size;       /* bytes */
	unsigned int nlines;
	unsigned int pad;	       /* 0 */
	unsigned long long start;      /* of GS_KERNEL: the address from which offsets count; else 0 */
	unsigned long long offsets;    /* user addresses: u32 for each row: the offset from which its rule holds */
	unsigned long long rule_of;    /* u16 for each row: the index of its rule */
	unsigned long long rules;      /* gs_unwind_rule; the first is for unknown code */
	unsigned long long symbols;    /* gs_image_symbol, for scripts that use names */
	unsigned long long lines;      /* gs_image_line, for scripts that use lines */
	unsigned long long names;      /* each with its NUL */
	unsigned long long path;       /* a string: the image's path */
};
#define GS_IOC_TABLE 0xc0604713u     /* EEXIST: it has one; ENOSPC: all tables would take more than GS_TABLES_MAX */
#define GS_TABLES_MAX 67108864	     /* bytes of a session's tables */

/*
 * Views: the globals of a script that was built with --monitor, in the order
 * of the manifest's, and its probes. They can be read from RUNNING on, until
 * the module is unloaded. An element is read as a whole; handlers run between one
 * call and the next.
 */
struct gs_view_read {
	unsigned int view;	       /* of the manifest's views; or GS_VIEW_PROBES */
	unsigned int from;	       /* in: 0, or its value after the previous call. out: GS_VIEW_END once there is no more */
	unsigned long long to;	       /* user address: rows, one after the other: keys, then the value; a long is 8 bytes, a
					  string u16 length and its bytes; statistics are longs: count, sum, minimum, maximum
					  and the buckets of histograms, as far as the manifest says that there are. A scalar
					  has one row. Of GS_VIEW_PROBES, gs_probe_figures */
	unsigned int size;	       /* in: of what is at to. out: bytes of rows */
	unsigned int pad;	       /* 0 */
};
#define GS_IOC_VIEW 0xc0184714u      /* EAGAIN: the session hasn't begun, or a global could not be had in time; EMSGSIZE: no row fits */
#define GS_VIEW_PROBES 0xffffffffu
#define GS_VIEW_END 0xffffffffu
#define GS_VIEW_MAX 65536	     /* the most bytes of a call; a row is never larger */

/* Of the probes of the manifest's list; times are in cycles of the TSC. */
struct gs_probe_figures {
	unsigned long long hits;
	unsigned long long total;
	unsigned long long min;	       /* all ones before the first hit */
	unsigned long long max;
	unsigned long long off;	       /* 1: its handler does not run */
};
#define GS_IOC_RESET 0x4715	     /* gives the globals the values that they had before begin probes ran */
#define GS_IOC_SWITCH 0x4716	     /* arg: a probe of that list, times 2; and 1 if it is to be off */

/* How to find the caller's registers. Registers have DWARF's numbers, offsets are bytes. */
struct gs_unwind_rule {
	unsigned char cfa;	       /* how the canonical frame address is found: GS_CFA_* */
	unsigned char reg;	       /* the register in it */
	unsigned char ra_from;	       /* the base of ra: a register, or GS_FROM_CFA */
	unsigned char saved_from;      /* the base of at */
	unsigned char saved;	       /* a bit for each of rbx, rbp, r12 to r15: it is saved in memory */
	unsigned char lost;	       /* or its value is gone */
	unsigned char flags;	       /* GS_RULE_* */
	unsigned char pad;
	int offset;		       /* is added to reg */
	int add;		       /* is added to the word there */
	int ra;			       /* where the return address is */
	int at[6];		       /* where rbx, rbp, r12 to r15 are */
};
#define GS_CFA_NONE 0	     /* unknown */
#define GS_CFA_REGISTER 1    /* reg + offset */
#define GS_CFA_DEREF 2	     /* the word at reg + offset, and add */
#define GS_CFA_PLT 3	     /* reg + offset, and 8 more where the low four bits of the address are add or more */
/*
 * reg + offset is the address of two words: how deep the stack of a goroutine
 * is, and its struct g, which begins with the lowest and the highest address of
 * the stack. The frame address is add above its stack pointer.
 */
#define GS_CFA_CGO 4
#define GS_RULE_END 1	     /* there is no caller */
#define GS_RULE_SIGNAL 2     /* a signal's frame: the caller was interrupted, it did not call */
#define GS_FROM_CFA 255

struct gs_image_symbol {
	unsigned int offset;
	unsigned int size;	       /* 0: up to the next */
	unsigned int name;	       /* its offset in the names */
};

/* The source line of the code up to the next one's offset. */
struct gs_image_line {
	unsigned int offset;
	unsigned int file;	       /* the offset of its path in the names */
	unsigned int line;	       /* 0: nothing is known */
};

#define GS_F_OVERWRITE 1     /* flight recorder: while no consumer is attached, overwrite the oldest sub-buffer */
#define GS_F_DETACHED 2	     /* the session outlives its owner, and later ones */

#define GS_MSG_ERROR 1
#define GS_MSG_WARNING 2
#define GS_MSG_EXIT 3	     /* the script called exit(), or errors or skips have ended the session: send STOP */
#define GS_MSG_IMAGES 4	     /* there are new images */

#define GS_STATE_LOADED 0
#define GS_STATE_STARTING 1
#define GS_STATE_RUNNING 2
#define GS_STATE_EXITING 3   /* no handler begins any more, except end and error probes */
#define GS_STATE_STOPPED 4
#define GS_STATE_FAILED 5    /* as EXITING, after an error */

#define GS_SKIP_BUSY 0	     /* the CPU's context was in use */
#define GS_SKIP_LOCK 1	     /* a lock could not be had in time */
#define GS_SKIP_STACK 2	     /* too little stack left */
#define GS_SKIP_MAXACTIVE 3  /* return probes: no free instance */
#define GS_SKIP_MEMORY 4     /* on a processor that came online without memory for its handlers */
#define GS_NSKIP 5

#endif
