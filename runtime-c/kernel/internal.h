/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * internal.h - declarations that the files of this folder share, file by file,
 * in the order in which a session uses them.
 */
#ifndef GS_INTERNAL_H
#define GS_INTERNAL_H

#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/relay.h>
#include <linux/skbuff.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include <asm/stacktrace.h>

#define GS_RUNTIME_IN_KERNEL
#include "gostap.h"
#include "protocol.h"
#include "compat.h"

/* stack.c: a stack that has been unwound before. */
#define GS_KNOWN_STACKS 8
#define GS_KNOWN_DEPTH 24
struct gs_known_stack {
	u64 ip;				/* the innermost address; 0: none is known */
	u32 n;
	u32 last;			/* where on the stack the last address is stored */
	u16 at[GS_KNOWN_DEPTH];		/* where the others are, from the stack pointer */
	u64 addrs[GS_KNOWN_DEPTH];
};

/* overload.c: the handlers' share of a CPU's time, by sampling; times are in cycles. */
struct gs_load {
	u64 begun;			/* when the interval began; 0: none yet */
	u64 last;			/* time of the last sample */
	u64 spent;			/* in handlers, in this interval */
	u64 largest;			/* the largest addition of one sample to spent */
	u64 random;
	u32 samples;			/* in this interval */
	u32 hits;			/* since the last sample, which the next one stands for */
	u32 over;			/* consecutive intervals above the limit */
};

/* stackspace.c: a stack that is not a task's; both 0 until it has been seen. */
#define GS_NSTACKS (STACK_TYPE_EXCEPTION_LAST + 1)
struct gs_stack_bounds {
	unsigned long low, high;
};

/* mmlock.c: a process's mappings that a handler has locked, and the irq_work that unlocks them. */
struct gs_mm_lock {
	struct mm_struct *mm;		/* NULL: none */
	struct irq_work unlock;
};

/* signal.c: a signal that a handler has raised, and the irq_work that sends it. */
#define GS_NSIGNALS 4			/* that may be pending on a CPU */
struct gs_signal {
	struct task_struct *to;		/* NULL: it is free */
	int number;
	struct irq_work send;
};

/* loadbias.c: where a process has loaded an image. */
struct gs_known_bias {
	struct mm_struct *mm;		/* NULL: nothing is known */
	u64 started;			/* when the process started */
	u64 executed;			/* how often it has executed a program */
	u64 unmapped;			/* how often pages have been unmapped in its address space */
	u64 bias;
	u32 image;
};

/* The data of a CPU. */
struct gs_cpu {
	struct gs_ctx ctx;
	struct gs_return *entered;	/* families/return.c, while ctx is taken: the return whose function is entered; NULL: it has an instance */
	/* transport.c: where the next record goes, and where the sub-buffer ends */
	char *next;
	char *end;
	struct gs_subbuf *subbuf;
	struct rchan_buf *buf;
	u32 reserved;			/* bytes of the record being written */
	u64 seq;			/* of the sub-buffer being written */
	u64 written;
	u64 lost;
	u64 overwritten;
	u64 first;			/* number of the first record that has not been read */
	struct file *reader;		/* the open file whose reader gives sub-buffers back */
	u64 skipped[GS_NSKIP];
	struct gs_load load;
	char *frame;			/* memory for ctx.frame; NULL: the CPU has none, and runs no handlers */
	struct gs_stack_bounds stacks[GS_NSTACKS];
	/* stack.c: the stack that it returns */
	u64 stack[GS_STACK_DEPTH];
	struct gs_known_stack known[GS_KNOWN_STACKS];
	char symbol[KSYM_SYMBOL_LEN];
	/* userstack.c: the stack that it returns */
	struct gs_frame ustack[GS_USTACK_DEPTH];
	struct gs_known_ustacks *known_ustacks;	/* userknown.c, usermapped.c; NULL: there are none */
	struct gs_mm_lock mm_lock;
	struct gs_signal signals[GS_NSIGNALS];
	struct gs_known_bias known_bias;
};
extern struct gs_cpu __percpu *gs_cpus;

/*
 * The handler that runs for a probe. It changes with the probe's condition:
 *
 * - START fills in the slot before anything is armed; stack_floor, stack_span
 *   and point do not change then.
 * - The CPU that evaluates the conditions writes handler and off, without a
 *   lock: gs_conditions_pending lets one evaluate at a time (condition.c). A
 *   slot without a condition, such as a return's entry, is never written again.
 * - A hit reads handler once, in any context, and may find the previous one: a
 *   condition says when a probe is armed, not which hits it sees.
 * - Arming and disarming, under gs_session_mutex, reads off by gs_wanted(). off
 *   may change meanwhile; the work item then runs again.
 */
struct gs_slot {
	void (*handler)(struct gs_ctx *c);
	const struct gs_point *point;	/* the probe's first: the condition is evaluated as for that one */
	unsigned long stack_floor;	/* bytes of the stack that are to be left; THREAD_SIZE: no stack is large enough */
	unsigned long stack_span;	/* the rest of a task's stack */
	bool off;			/* its condition doesn't hold */
};
extern struct gs_slot *gs_slots;	/* one for each of gs_program.probes */

/* A point and its slot: the data of a hit. */
struct gs_hit {
	const struct gs_point *point;
	struct gs_slot *slot;
};

static inline struct gs_hit gs_hit_of(const struct gs_point *p)
{
	return (struct gs_hit){ p, &gs_slots[p->probe] };
}

/**
 * gs_wanted() - is the probe to be armed?
 * @s: its slot
 *
 * Context: Any. It may change a moment later; the family's @update is called then.
 */
static inline bool gs_wanted(const struct gs_slot *s)
{
	return !READ_ONCE(s->off);
}

/* cpu.c */
int gs_cpus_init(void);
int gs_cpus_start(void);		/* allocates for the CPUs that are online, and for others when they come online */
void gs_cpus_stop(void);		/* ends that */
void gs_cpus_free(void);
u64 gs_cpus_size(void);			/* bytes that START allocates for the script's data */
struct gs_ctx *gs_idle_ctx(void);
/* memory.c: may so many bytes be allocated? If not, a message says why. */
bool gs_memory_allowed(u64 data, u64 buffers);
/* stackspace.c: bytes of stack that a probe's handlers need. In any context. */
u32 gs_stack_floor(u32 probe);

/*
 * The locks, in the order in which they are taken. None is taken in handlers,
 * which run in any context, nor in callbacks of CPU hotplug:
 *
 * gs_stop_mutex	held while the session is stopped
 * gs_session_mutex	to start, stop, arm and disarm: for the families' data,
 *			the symbols' addresses, and changes of gs_state except
 *			to EXITING and FAILED. Module notifiers take it.
 * the kernel's locks	of CPU hotplug, kprobes, ftrace, tracepoints: taken to arm
 * gs_owner_mutex	control.c: for the owner, and while a message is sent
 * gs_overwrite_mutex	transport.c
 */
extern struct mutex gs_session_mutex;
/* state.c */
extern bool gs_ending;			/* only end and error probes run now, one at a time */
extern int gs_state;			/* GS_STATE_*; handlers change it by gs_end_session() alone */
extern u32 gs_flags;			/* GS_F_* of START */
extern kuid_t gs_user;			/* of the process that has started the session */
void gs_end_session(int to);
/* session.c */
int gs_session_start(const struct gs_start *how);
void gs_session_stop(void);
/* Arms and disarms probes whose conditions have changed. */
void gs_session_update(void);
void gs_session_free(void);
void gs_session_module(const struct module *mod);

/**
 * struct gs_family - a kind of probe points
 * @name: gs_point.family
 * @flags: GS_FAMILY_*
 * @begin: runs handlers before anything is armed
 * @arm: arms the points, and calls gs_unarmed() for each that it can't arm. 0, or -errno for lack of memory.
 *	Called at START, and for the points of each module that is loaded later
 * @running: called when the state has become RUNNING; may be NULL
 * @update: arms and disarms points by gs_wanted(); NULL: points stay armed, with the empty handler
 * @disarm: undoes @arm, also one that failed; afterwards none of its handlers runs
 * @disarm_module: disarms the points in a module that is being unloaded, an index into gs_program.images.
 *	NULL: points are armed at START only
 * @end: runs handlers after all families are disarmed
 * @missed: adds the hits that the kernel has skipped by itself
 * @free: called when the module is unloaded, for what could not be freed before; @arm may not have run
 *
 * families/: each file defines one or more; modulebuild makes gs_families of them.
 *
 * Context: All but @missed and @free are called in a task that may sleep, with
 * gs_session_mutex held; @arm for a module and @disarm_module under the lock of
 * the module notifiers too, @update by the work item. @missed is called in a task,
 * with no lock, at any time while the module is loaded; @free when it is unloaded.
 */
struct gs_family {
	const char *name;
	u32 flags;
	void (*begin)(const struct gs_point **points, u32 n);
	int (*arm)(const struct gs_point **points, u32 n);
	void (*running)(void);
	void (*update)(void);
	void (*disarm)(void);
	void (*disarm_module)(u32 image);
	void (*end)(const struct gs_point **points, u32 n, bool failed);
	void (*missed)(u64 *skipped);
	void (*free)(void);
};
extern const struct gs_family *const gs_families[];
#define GS_FAMILY_RETURN 1	/* its handlers run when functions return */
#define GS_FAMILY_EVENT 2	/* its points' symbols are not probed code: a tracepoint, data that is watched */

/* dispatch.c: the families of the points; NULL if the runtime has no such family. */
extern const struct gs_family **gs_families_of;

static inline const struct gs_family *gs_family_of(const struct gs_point *p)
{
	return gs_families_of[p - gs_program.points];
}


/* modules.c: points in modules that are loaded and unloaded. */
static inline const char *gs_module_of(const struct gs_point *p)	/* "" for none */
{
	return gs_program.images[p->image].module;
}

#define GS_ALL_IMAGES U32_MAX
/* Is an image, an index into gs_program.images, one of those meant: this one, or all? */
static inline bool gs_image_is(u32 image, u32 meant)
{
	return meant == GS_ALL_IMAGES || image == meant;
}

int gs_modules_init(void (*changes)(const struct module *mod));
void gs_modules_free(void);
u32 gs_image_of(const struct module *mod, u32 i);
bool gs_awaits_module(const struct gs_point *p);	/* the point's module is not loaded */
void gs_await_modules(void);				/* warns of modules that are not loaded */
void gs_resolve_module(const struct module *mod, u32 image);	/* records the module's addresses, for gs_correct_addrs() */
void gs_correct_addrs(u64 *addrs);			/* corrects addresses that are older */

/* pids.c: until gs_pids_stop(), the consumer's pid namespace is kept. */
void gs_pids_start(void);
void gs_pids_stop(void);

/* programs.c: the files of programs and libraries that are images. */
int gs_programs_open(const int __user *fds);
void gs_programs_close(void);
struct inode *gs_program_inode(u32 image);	/* NULL if there is no such file */
void gs_programs_await(void);
bool gs_runs_program(const struct task_struct *t, u32 image);
bool gs_is_process(const struct task_struct *t, s64 pid);
bool gs_may_probe(const struct task_struct *t);

u64 gs_point_addr(const struct gs_point *p);	/* 0 if its symbol isn't there */
void gs_unarmed(const struct gs_point *p, int err);
u32 gs_unarmed_points(void);
/* families/kprobe.c; also for functions without an ftrace site */
int gs_kprobe_arm(const struct gs_point *p);
int gs_kprobe_start(struct kprobe *kp, const struct gs_hit *hit);
void gs_kprobe_update(struct kprobe *kp, const struct gs_hit *hit);
/* ftrace.c */
int gs_kprobe_registered(const struct kprobe *kp);
u32 gs_kprobes_so_far(void);
void gs_release_ftrace(void);
/* group.c */
extern const struct gs_group **gs_shared;	/* by point: the group whose other points it stands for */

/* dispatch.c */
int gs_dispatch_start(void);
void gs_dispatch_free(void);
bool gs_may_take(struct gs_ctx *c, const struct gs_slot *slot);
void gs_init_slot(struct gs_slot *slot, u32 probe, void (*handler)(struct gs_ctx *c));
void gs_run_cold(const struct gs_point *p);
void gs_report(struct gs_ctx *c);
void gs_skip_here(u32 kind);
u64 gs_errors_so_far(void);
void gs_skips_so_far(u64 *skipped);
/* overload.c */
void gs_loads_init(void);
/* Its parameters are in the order of an ftrace callback's, so that no register has to be moved. */
bool gs_handle_seldom(u64 ip, struct gs_ctx *c, const struct gs_hit *hit, struct pt_regs *regs, u64 *saved);
/* condition.c: probes with "if (cond)" */
void gs_conditions_init(void (*update)(void));
void gs_conditions_start(void);
void gs_schedule_update(void);
void gs_conditions_changed(void);	/* globals have been changed other than by a handler, in a running session */
void gs_conditions_stop(void);

/* transport.c */
/* Whether the oldest sub-buffers are overwritten if there is no room. When it returns from switching off, none is any more. */
void gs_overwrite(bool on);
void gs_await_reader(void);
u64 gs_transport_size(void);		/* bytes of all buffers */
extern struct rchan *gs_channel;
int gs_transport_init(void);
void gs_transport_free(void);

/* files.c */
struct proc_dir_entry *gs_files_dir(void);	/* the module's own folder */
typedef long gs_reader_ioctl(struct gs_cpu *me, unsigned int cmd, unsigned long arg);	/* may sleep */
int gs_files_init(gs_reader_ioctl *gives);
void gs_files_free(void);

/* clock.c */
void gs_clock_init(void);
u64 gs_now(void);
u32 gs_clock_khz(void);
void gs_clock_pair(u64 *now, u64 *ns);

/* message.c */
/* Sends a message; it may sleep. -EAGAIN if there is no room for it now. */
typedef int gs_sender(u32 kind, const char *text, const char *near, const char *point);
int gs_messages_init(gs_sender *send);
void gs_messages_free(void);
void gs_message(u32 kind, const char *text, size_t len, const char *near, const char *point);
void gs_message_exit(void);
void gs_messages_flush(void);

/* There are new images. */
void gs_message_images(void);

/* later.c: a work item that handlers queue. It calls gs_later_begun() first. */
struct gs_later {
	struct irq_work irq;
	call_single_data_t elsewhere;
	struct delayed_work work;
	unsigned long every;		/* at least so many jiffies apart */
	unsigned long next;		/* not before */
};
void gs_later_init(struct gs_later *l, work_func_t work, unsigned long every);
void gs_later(struct gs_later *l);
void gs_later_begun(struct gs_later *l);
/* Returns when the work item has run for all requests until now. Both may sleep. */
void gs_later_flush(struct gs_later *l);
void gs_later_stop(struct gs_later *l);
bool gs_in_irq_work(void);

/* userimage.c: files that processes map. Its functions are in userimage.h. */
int gs_images_init(void);
void gs_images_free(void);
long gs_next_image(struct gs_next_image __user *arg);
/* userframe.c: where addresses of stacks were */
int gs_noted_init(void);
void gs_noted_free(void);
/* userknown.c: allocates the caches of unwound stacks, on CPUs that have none yet */
void gs_known_ustacks_init(int cpu);
u64 gs_known_ustacks_size(void);	/* bytes of a CPU's cache */
/* usertable.c */
long gs_take_table(struct gs_image_table __user *arg);
/* mmlock.c */
void gs_mm_locks_init(void);
void gs_mm_locks_free(void);
/* signal.c */
void gs_signals_init(void);
void gs_signals_free(void);

/* view.c: a script's globals and its probes' figures, for --monitor */
void gs_views_start(void);
long gs_view_read(struct gs_view_read __user *arg);
long gs_view_reset(void);
long gs_view_switch(unsigned long probe, bool off);

/* command.c */
int gs_commands_init(void);
void gs_commands_free(void);

/* control.c */
bool gs_control_owned_by(u32 pid);
int gs_control_init(void);
void gs_control_free(void);
gs_sender gs_control_send;

extern struct workqueue_struct *gs_workqueue;

#endif
