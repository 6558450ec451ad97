/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gostap.h - what generated code, the freestanding core, and the two
 * platforms (kernel/ and host/) share.
 *
 * Generated code includes this and nothing else: no kernel header, no libc.
 * It defines one `const struct gs_program gs_program`; the platform calls its
 * handlers with a context that no other handler uses at the same time.
 */
#ifndef GOSTAP_H
#define GOSTAP_H

#include "protocol.h"

typedef signed char gs_s8;
typedef short gs_s16;
typedef int gs_s32;
typedef long long gs_s64;
typedef unsigned char gs_u8;
typedef unsigned short gs_u16;
typedef unsigned int gs_u32;
typedef unsigned long long gs_u64;
typedef __SIZE_TYPE__ gs_size;

#ifndef NULL
#define NULL ((void *)0)
#endif

#define gs_likely(x) __builtin_expect(!!(x), 1)
#define gs_unlikely(x) __builtin_expect(!!(x), 0)
#define gs_inline static inline __attribute__((always_inline))

/* The most bytes a string value takes, with its NUL. -D MAXSTRINGLEN=n. */
#ifndef MAXSTRINGLEN
#define MAXSTRINGLEN 512
#endif

/* A string value: len bytes at s, and a NUL behind them. len < MAXSTRINGLEN. */
struct gs_str {
	const char *s;
	gs_size len;
};

#include "gs_arch.h"

struct gs_point;

/* $value of a procfs probe: len bytes at text, and a NUL behind them. */
struct gs_value {
	char *text;
	gs_size size;		    /* of the memory at text */
	gs_size len;
};

/* What the handler's last =~ or !~ found; only where the script asks for it by matched(). */
#define GS_MAXGROUPS 10
struct gs_match {
	struct gs_str subject;
	gs_u32 ngroups;		    /* the whole match is group 0; 0: nothing has matched */
	gs_s32 from[GS_MAXGROUPS];  /* offsets into subject; -1 for a group that took no part */
	gs_s32 to[GS_MAXGROUPS];
};

#define GS_ERROR_MAX 512	/* bytes of an error's text that is put together, with its NUL */

/*
 * One CPU's context. A handler owns it from entry to return: interrupts are
 * off, and an event that comes meanwhile on the same CPU (an NMI, a probe on
 * what the handler calls) is skipped and counted. Begin, end and error probes
 * run while nothing else is armed: only preemption is off in them.
 */
struct gs_ctx {
	const char *error;	    /* NULL, or the text of the error that was raised */
	const char *error_near;	    /* a literal: "near operator '/' at x.stp:3:7" */
	long actions;		    /* how many more the handler may do; the generated code's own */
	long more_actions;	    /* beyond actions: see gs_more_actions() */
	gs_u64 clock;		    /* time of the last gs_more_actions() in this run; 0: none yet */
	gs_u64 taken;		    /* ns of the run so far, where it keeps interrupts off */
	gs_s64 steps;		    /* how many more of gs_work(); set by handlers that do such work */
	char *frame;		    /* where the handler's strings live */
	char *frame_end;
	struct gs_regs *regs;	    /* at the probed address; NULL if there are none */
	gs_u64 *saved;		    /* return probes: what was saved at entry */
	gs_u64 ip;		    /* the probed address, 0 if the event has none */
	const struct gs_point *point;
	gs_u64 time;		    /* of the run's first record; 0 before there is one */
	gs_u32 cpu;
	gs_u32 nesting;		    /* script functions entered */
	gs_u32 busy;		    /* the platform's: is it owned by a handler? */
	gs_u32 next;		    /* an embedded function has ended by STAP_NEXT */
	gs_u16 interruptible;	    /* a begin, end or error probe: interrupts are on, and gs_give_way() is allowed */
	gs_u16 in_condition;	    /* a condition is evaluated: not to get a lock is no skipped hit */
	gs_u32 entering;	    /* a return probe's entry part runs: the function has not returned yet */
	struct gs_value *value;	    /* procfs probes: the file's */
	char *tokens;		    /* tokenize(): what is left of the string; NULL: nothing */
	char error_text[GS_ERROR_MAX];	/* for errors that are put together */
	/* c->regs for guru code: see gs_guru_registers() */
	struct pt_regs *kregs, *uregs;
	struct gs_match match;
};

/* A handler, one for each probe of the script. */
struct gs_probe {
	void (*handler)(struct gs_ctx *c);
	/* Return probes: fills c->saved[0..nsaved) at the function's entry; NULL if nsaved is 0. */
	void (*entry)(struct gs_ctx *c);
	/* if (cond) of the point; NULL if there is none. Takes its own locks; -1: it could not. */
	int (*cond)(struct gs_ctx *c);
	/*
	 * Probes in programs: loads the memory of the program that the handler, or entry,
	 * is going to load, so that it is present; NULL if there is none. May sleep.
	 */
	void (*touch)(const struct gs_regs *regs, gs_u64 ip);
	void (*touch_entry)(const struct gs_regs *regs, gs_u64 ip);
	gs_u32 nsaved;
	gs_u32 flags;		    /* GS_PROBE_* */
};
#define GS_PROBE_REGISTERS 1	    /* needs all registers, not only those of arguments and result */
#define GS_PROBE_CONDS 2	    /* writes what conditions read: they are evaluated after it */

#define GS_NO_SYMBOL 0xffffffffu

/* A file of machine code that points are in. The first of gs_program.images is the kernel itself. */
struct gs_image {
	const char *module;	    /* a kernel module's name, else "" */
	const char *path;	    /* of a program or library, else "" */
	gs_u32 is_go;		    /* a Go program: goroutines have stacks that move, and change threads */
	gs_u32 goid;		    /* offset of the goroutine's number in struct g; 0 if unknown */
	gs_u32 curg;		    /* offset in struct m of the goroutine that the runtime works for */
};

/* A probe point, at which a handler runs. */
struct gs_point {
	const char *family;	    /* finds the struct gs_family that serves it */
	const char *name;	    /* pp() */
	const char *func;	    /* probefunc(), NULL if it is to be found from the address */
	gs_u32 probe;		    /* index into gs_program.probes */
	gs_u32 image;		    /* index into gs_program.images */
	gs_u32 symbol;		    /* index into the manifest's symbols, whose addresses START brings; or GS_NO_SYMBOL */
	gs_s64 offset;		    /* from the symbol; in a program's file, from its beginning */
	gs_u64 refcounter;	    /* offset of the mark's semaphore in a program's file, 0 for none */
	gs_s64 args[2];		    /* the family's own; see program.Point */
	gs_u32 program;		    /* index into gs_program.images: only processes of this program; 0: all */
	gs_u32 nreturns;	    /* offsets in a program's file of the instructions that return from the function; */
	const gs_u64 *returns;	    /* 0 and NULL: the kernel has to find its returns */
	const char *file;	    /* procfs: the file's path below the session's folder; perftask: a counter's name; else NULL */
	gs_u16 name_len;	    /* cut to what a string may hold */
	gs_u16 func_len;
	const void *row;	    /* the parameters of this point, if several probes share the handler */
	const char *script;	    /* pn(), NULL: as pp() */
};

/* A symbol of a kernel module, which may be loaded while the session runs. */
struct gs_module_symbol {
	gs_u32 image;		    /* index into gs_program.images */
	const char *name;
	gs_u32 symbol;		    /* index into the manifest's symbols */
};

/* A global that -G can set before the start, with gs_set_global(). */
struct gs_global {
	const char *name;
	int is_string;
	void *place;		    /* gs_s64 *, or struct gs_text * with MAXSTRINGLEN bytes */
};

/* Limits that the platform enforces; -D sets them at translation. */
struct gs_limits {
	gs_u32 maxerrors;	    /* MAXERRORS: errors before the session ends; 0: the first ends it */
	gs_u32 maxmapentries;	    /* MAXMAPENTRIES: the size of arrays that are declared without one */
	gs_u32 maxskipped;	    /* MAXSKIPPED: skipped probes before the session ends */
	gs_u32 maxtrylock;	    /* MAXTRYLOCK: attempts at a lock */
	gs_u32 trylockdelay;	    /* TRYLOCKDELAY: microseconds between them */
	gs_u32 minstackspace;	    /* MINSTACKSPACE: bytes of stack below the handler's own frames */
	gs_u32 suppress_errors;	    /* --suppress-handler-errors */
	gs_u32 first_error;	    /* with it: the first error becomes a warning */
	gs_u64 overload_threshold;  /* STP_OVERLOAD_THRESHOLD: cycles in handlers out of overload_interval; 0: no limit */
	gs_u64 overload_interval;   /* STP_OVERLOAD_INTERVAL */
	gs_u64 maxmemory;	    /* STP_MAXMEMORY in bytes; 0: half of what the machine has left */
	gs_u64 procfs_bufsize;	    /* STP_PROCFS_BUFSIZE: of what is read from a file, with its NUL */
	const char *too_many_steps; /* the error when a handler's steps are used up */
	const char *too_long;	    /* the error when its time is, see gs_more_actions() */
};

/*
 * What the frames of each probe's handlers and of the functions that they call
 * take of the kernel's stack at most, each function that recurs counted once.
 * The compiler knows: module-build writes it into the object.
 */
extern const volatile gs_u32 gs_stack_use[];

/* A probe as the script has it, of which several gs_probe may have been made: -t and --monitor count its runs. */
struct gs_timing {
	gs_u64 hits, total, min, max;	/* total, min and max are of cycles */
	gs_s64 spread;		    /* the sum of the squared distances from the average */
	gs_u64 off;		    /* 1: its handlers do nothing */
	struct gs_str probe;	    /* its name in the report of -t */
};

#define GS_ABI 6

/* The script. Generated code defines exactly one, named gs_program. */
struct gs_program {
	gs_u32 abi;		    /* GS_ABI of the header that it was compiled with */
	gs_u32 nprobes;
	gs_u32 npoints;
	gs_u32 nglobals;
	gs_u32 nsymbols;	    /* of the manifest, whose addresses START passes */
	const struct gs_probe *probes;
	const struct gs_point *points;
	gs_u32 nimages;
	const struct gs_image *images;
	const struct gs_global *globals;
	gs_u32 nmodule_symbols;
	const struct gs_module_symbol *module_symbols; /* by image, then by name */
	gs_size frame_size;	    /* bytes of strings that the deepest handler needs */
	struct gs_limits limits;
	gs_u32 narrays;
	gs_u32 nshards;
	const struct gs_array *arrays;
	struct gs_shards *const *shards; /* globals that each CPU has a shard of, including arrays */
	gs_u32 nviews;
	gs_u32 ntimings;
	const struct gs_view *views; /* --monitor: how the globals are read */
	struct gs_timing *timings;
	gs_u32 user_stacks;	    /* the script uses programs' stacks, or the symbols of their addresses */
	gs_u32 unprivileged;	    /* --privilege=stapusr: only processes of the session's user are probed */
	gs_u32 kernel_lines;	    /* its handlers use lines of the kernel's code */
	gs_u32 tasks;		    /* a GS_REC_TASK goes before a handler's first record */
};
extern const struct gs_program gs_program;

/* Addresses of the manifest's symbols in the running kernel; set by the platform before any handler runs. */
extern const gs_u64 *gs_symbols;

/*
 * Errors. Generated code tests c->error after each call that may raise one, and
 * leaves the handler, or goes to the enclosing catch block.
 */
gs_inline void gs_raise(struct gs_ctx *c, const char *text, const char *near)
{
	if (!c->error) {
		c->error = text;
		c->error_near = near;
	}
}

/* ---- What a platform provides; safe in any context unless said otherwise. ---- */

/* Zeroed memory, near a CPU or (-1) anywhere; NULL if there is too little. May sleep. */
void *gs_alloc(gs_size size, int cpu);
void gs_free(void *p);
gs_u32 gs_ncpus(void);		    /* CPU numbers are below this */

/* Does the current task belong to the session's user? */
int gs_is_myproc(void);

/* Counts an error that does not end the handler, because of --suppress-handler-errors. */
void gs_suppressed(struct gs_ctx *c, const char *text, const char *near);

/* A clock in ns. */
gs_u64 gs_ns(void);
/* Called during long work: in an interruptible handler, reschedules. */
void gs_give_way(struct gs_ctx *c);

/* The handler can't run: counts it under kind, GS_SKIP_* of protocol.h. The handler then returns. */
void gs_skip(struct gs_ctx *c, gs_u32 kind);

/* One more turn of waiting for a lock: about TRYLOCKDELAY microseconds. */
void gs_lock_wait(void);

/*
 * A record for the consumer: len payload bytes (any number; see protocol.h)
 * at the address returned, to be filled at once and then committed. NULL if
 * there is no room: the loss has been counted.
 */
void *gs_reserve(struct gs_ctx *c, gs_u32 kind, gs_u32 len);
void gs_commit(struct gs_ctx *c);

/*
 * Messages beside the output; text is copied, up to GS_MESSAGE_MAX bytes. A
 * small MAXSTRINGLEN doesn't cut the runtime's own messages.
 */
#define GS_MESSAGE_MAX (MAXSTRINGLEN < 256 ? 255 : MAXSTRINGLEN > 1024 ? 1023 : MAXSTRINGLEN - 1)
void gs_warn(struct gs_ctx *c, struct gs_str text);
/* Ends the session once the handler has returned; end probes run. */
void gs_exit(struct gs_ctx *c);

/*
 * Loads size (1, 2, 4, 8) bytes, zero-extended. A bad address raises an error
 * and yields 0. user: an address of the current process.
 */
gs_u64 gs_load(struct gs_ctx *c, gs_u64 addr, gs_u32 size, int user, const char *near);
void gs_store(struct gs_ctx *c, gs_u64 addr, gs_u64 value, gs_u32 size, int user, const char *near);
/*
 * Copies the string at addr, at most max bytes with the NUL; returns its
 * length without the NUL or -1 for a bad address (raises nothing).
 */
long gs_load_string(struct gs_ctx *c, char *to, gs_u64 addr, gs_size max, int user);
/* For struct gs_probe's touch: a load from the current program's memory, 0 at a bad address, and the same of a string. */
gs_u64 gs_touch(gs_u64 addr, gs_u32 size);
void gs_touch_string(gs_u64 addr);
/* Copies n bytes; 0, or -1 for a bad address (raises nothing). */
int gs_read(void *to, gs_u64 addr, gs_size n, int user);
/*
 * Sends a signal to the current thread as soon as the probed code may be interrupted. 0; -EINVAL: no such signal; -EPERM:
 * a kernel thread, init, or one that is about to end; -EAGAIN: too many are pending on this CPU, or one is being sent.
 */
int gs_signal(struct gs_ctx *c, gs_s64 number);
/* The point that was hit; c->point may be another that shares its handler. */
const struct gs_point *gs_point_of(struct gs_ctx *c);
/* The context of the handler that runs on this CPU; for embedded C at the top level. */
struct gs_ctx *gs_this_context(void);
/* Bytes that are left of the current kernel stack; 0 if that is unknown. */
gs_size gs_stack_left(void);
/* Are they as many as the handler's probe needs? */
int gs_stack_suffices(struct gs_ctx *c);

/*
 * The kernel's stack at the probed address, the innermost address first, at
 * most max and GS_STACK_DEPTH of them. The result is valid until the next
 * call on this CPU. At a function's return the function itself comes first.
 */
#define GS_STACK_DEPTH 64
const gs_u64 *gs_stack(struct gs_ctx *c, gs_u32 max, gs_u32 *n);
/* Does the handler run at a function's return? */
int gs_is_return(struct gs_ctx *c);
/* The probed address, 0 if there is none. */
gs_u64 gs_probe_addr(struct gs_ctx *c);

/*
 * The current process's stack where it has entered the kernel, or is probed:
 * the innermost address first, at most max and GS_USTACK_DEPTH. The result
 * is valid until the next call on this CPU. *flags is GS_USTACK_*.
 */
#define GS_USTACK_DEPTH 128
const struct gs_frame *gs_ustack(struct gs_ctx *c, gs_u32 max, gs_u32 *n, gs_u32 *flags);
/* The same for given registers. */
const struct gs_frame *gs_ustack_from(struct gs_ctx *c, gs_u64 ip, gs_u64 sp, gs_u64 bp, gs_u32 *n, gs_u32 *flags);
/* Keeps where these addresses are, for gs_find_frame(). */
void gs_note_frames(const struct gs_frame *frames, gs_u32 n);
/*
 * Finds what is mapped at addr of the current process, or was where the address was noted last; image is GS_NO_IMAGE
 * where no file is. False if there is nothing.
 */
int gs_find_frame(struct gs_ctx *c, gs_u64 addr, struct gs_frame *to);
/*
 * The events that a counter has counted in the current task; counter is the index of its point in gs_program.points; 0 in
 * a task without the counter. For handlers in processes.
 */
gs_s64 gs_perf_count(gs_u32 counter);
/* The base of the thread-local variables of the current process's thread. */
gs_u64 gs_thread_pointer(void);
/* The number of the goroutine whose code is probed, 0 for the runtime's own; -1 if it is unknown. */
gs_s64 gs_goid(struct gs_ctx *c);
/* The lower 64 bits of the n-th floating point register of the current process, if a handler has interrupted its code. */
gs_u64 gs_vector_register(gs_u32 n);
/*
 * The load bias of a program or a library in the current process; first is the
 * address that the first page of its file is linked at. Raises an error if the
 * process has not mapped it.
 */
gs_u64 gs_load_bias(struct gs_ctx *c, gs_u32 image, gs_u64 first, const char *near);
/*
 * The symbol of such a frame, if its image's table has been stored; name is ""
 * if it is not known, module is the image's path.
 */
struct gs_symbol;
void gs_find_usymbol(const struct gs_frame *f, struct gs_symbol *to);

/* The symbol at an address. name is "" if there is none; module is "" for the kernel itself. */
struct gs_symbol {
	struct gs_str name, module; /* valid until the next call on this CPU; not NUL-terminated */
	gs_u64 offset, size;
};
void gs_find_symbol(struct gs_ctx *c, gs_u64 addr, struct gs_symbol *to);

/*
 * The kernel's stack of the task at an address, the innermost first: none if
 * there is no such task, or if it runs on another CPU. It is valid until the
 * next call on this CPU.
 */
const gs_u64 *gs_task_stack(struct gs_ctx *c, gs_u64 task, gs_u32 *n);

/* A line of the source. line is 0 if it is not known. */
struct gs_line {
	struct gs_str file; /* valid while the session runs; NUL-terminated */
	gs_u32 line;
};
/* Of the kernel's code at an address, and of such a frame, if tables with lines have been stored. */
void gs_find_line(gs_u64 addr, struct gs_line *to);
void gs_find_uline(const struct gs_frame *f, struct gs_line *to);

/* The error that abort() raises: it ends the session, and is not reported as an error. */
extern const char gs_aborted[];

#include "gs_data.h"
#include "gs_process.h"

#endif
