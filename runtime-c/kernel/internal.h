/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * internal.h - what the files of this folder share. Each declares here what
 * the others call, in the order in which a session uses it.
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
	u32 last;			/* where in the stack's memory the last address stands */
	u16 at[GS_KNOWN_DEPTH];		/* where the others do, from the stack pointer */
	u64 addrs[GS_KNOWN_DEPTH];
};

/* overload.c: the handlers' share of a CPU, by samples of them; times are in cycles. */
struct gs_load {
	u64 begun;			/* the interval; 0: none yet */
	u64 last;			/* sample */
	u64 spent;			/* in handlers, in this interval */
	u64 largest;			/* what one sample added to it */
	u64 random;
	u32 samples;			/* in this interval */
	u32 hits;			/* that the next sample stands for */
	u32 over;			/* intervals in a row in which it was too much */
};

/* stackspace.c: a stack that is not a task's; both 0 until it has been seen. */
#define GS_NSTACKS (STACK_TYPE_EXCEPTION_LAST + 1)
struct gs_stack_bounds {
	unsigned long low, high;
};

/* mmlock.c: a process's mappings that a handler has locked, and who unlocks them. */
struct gs_mm_lock {
	struct mm_struct *mm;		/* NULL: none */
	struct irq_work unlock;
};

/* signal.c: a signal that a handler has raised, and who sends it. */
#define GS_NSIGNALS 4			/* that wait on a CPU */
struct gs_signal {
	struct task_struct *to;		/* NULL: it is free */
	int number;
	struct irq_work send;
};

/* loadbias.c: where a process has loaded an image. */
struct gs_known_bias {
	struct mm_struct *mm;		/* NULL: nothing is known */
	u64 started;			/* when the process did */
	u64 executed;			/* how often */
	u64 unmapped;			/* how often pages have gone from the address space */
	u64 bias;
	u32 image;
};

/* What a CPU has for itself. */
struct gs_cpu {
	struct gs_ctx ctx;
	struct gs_return *entered;	/* families/return.c, while ctx is taken: whose function is entered; NULL: it has an instance */
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
	u64 first;			/* of the records written, the first not read */
	struct file *reader;		/* who gives sub-buffers back */
	u64 skipped[GS_NSKIP];
	struct gs_load load;
	char *frame;			/* what ctx.frame is between handlers; NULL: the CPU has no memory for any */
	struct gs_stack_bounds stacks[GS_NSTACKS];
	/* stack.c: what it hands out */
	u64 stack[GS_STACK_DEPTH];
	struct gs_known_stack known[GS_KNOWN_STACKS];
	char symbol[KSYM_SYMBOL_LEN];
	/* userstack.c: what it hands out */
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

/* What a hit leads to. */
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
 * Context: Any. The answer can be another one a moment later, of which update
 * is told.
 */
static inline bool gs_wanted(const struct gs_slot *s)
{
	return !READ_ONCE(s->off);
}

/* cpu.c */
int gs_cpus_init(void);
int gs_cpus_start(void);		/* memory, for the CPUs that are there and those that come */
void gs_cpus_stop(void);		/* no more come */
void gs_cpus_free(void);
u64 gs_cpus_size(void);			/* bytes that START allocates for the script's data */
struct gs_ctx *gs_idle_ctx(void);
/* memory.c: may that much be allocated? If not, says why. */
bool gs_memory_allowed(u64 data, u64 buffers);
/* stackspace.c: bytes of stack that a probe's handlers want. Anywhere. */
u32 gs_stack_floor(u32 probe);

/*
 * The locks, in the order in which they are taken; none of them in
 * handlers, which run in any context, nor in callbacks of hotplugged CPUs:
 *
 * gs_stop_mutex	by whoever stops the session, from one end to the other
 * gs_session_mutex	by whoever starts, stops, arms or disarms: for the families'
 *			data, the symbols' addresses, and changes of gs_state but
 *			for those to EXITING and FAILED. Notifiers of modules take it.
 * the kernel's own	of CPUs, kprobes, ftrace, tracepoints, which arming takes
 * gs_owner_mutex	control.c: who the owner is, and while something is sent
 * gs_overwrite_mutex	transport.c
 */
extern struct mutex gs_session_mutex;
/* state.c */
extern bool gs_ending;			/* only end and error probes run, one after the other */
extern int gs_state;			/* GS_STATE_*; handlers change it by gs_end_session() alone */
extern u32 gs_flags;			/* GS_F_* of START */
extern kuid_t gs_user;			/* who has started the session */
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
 * @arm: arms the points; those that it can't it gives to gs_unarmed(). -errno if memory is short
 * @running: from here on handlers run; NULL: that is nothing to it
 * @update: arms and disarms what @arm left, as gs_wanted() says now; NULL: the empty handler has to do
 * @disarm: undoes what @arm did, or did of it; afterwards none of its handlers runs
 * @arm_one: arms one point, whose module has come. @arm may have had no point
 * @disarm_one: disarms one, whose module goes
 * @end: runs handlers after all is disarmed
 * @missed: adds what the kernel skipped by itself
 * @free: with the module, undoes what others may have held on to until here; @arm may not have run
 *
 * families/: each file defines one or more; modulebuild makes gs_families of them.
 *
 * Context: All but @missed and @free are called in a task that may sleep, with
 * gs_session_mutex held; @arm_one and @disarm_one under the lock of the
 * module notifiers too, @update by the work item. @missed is called in a task,
 * with no lock, at any time between the module's beginning and its end; @free at the end.
 */
struct gs_family {
	const char *name;
	u32 flags;
	void (*begin)(const struct gs_point **points, u32 n);
	int (*arm)(const struct gs_point **points, u32 n);
	void (*running)(void);
	void (*update)(void);
	void (*disarm)(void);
	int (*arm_one)(const struct gs_point *p);
	void (*disarm_one)(const struct gs_point *p);
	void (*end)(const struct gs_point **points, u32 n, bool failed);
	void (*missed)(u64 *skipped);
	void (*free)(void);
};
extern const struct gs_family *const gs_families[];
#define GS_FAMILY_RETURN 1	/* its handlers run when functions return */
#define GS_FAMILY_EVENT 2	/* its points' symbols are not where the kernel was: a tracepoint, data that is watched */

/* dispatch.c: by point; NULL where the runtime has no such family. */
extern const struct gs_family **gs_families_of;

static inline const struct gs_family *gs_family_of(const struct gs_point *p)
{
	return gs_families_of[p - gs_program.points];
}


/* modules.c: points in modules that come and go. */
static inline const char *gs_module_of(const struct gs_point *p)	/* "" for none */
{
	return gs_program.images[p->image].module;
}

int gs_modules_init(void (*changes)(const struct module *mod));
void gs_modules_free(void);
bool gs_awaits_module(const struct gs_point *p);	/* it is not loaded */
void gs_await_modules(void);				/* says which ones are not */
void gs_resolve_module(const struct module *mod, u64 *addrs);
void gs_resolve_early(const struct module *mod);	/* keeps for gs_correct_addrs() what has become of a module's symbols */
void gs_correct_addrs(u64 *addrs);			/* which may be of before that */

/* programs.c: the files of programs and libraries that are images. */
int gs_programs_open(const int __user *fds);
void gs_programs_close(void);
struct inode *gs_program_inode(u32 image);	/* NULL if there is no such file */
bool gs_runs_program(const struct task_struct *t, u32 image);
bool gs_is_process(const struct task_struct *t, s64 pid);
bool gs_may_probe(const struct task_struct *t);

u64 gs_point_addr(const struct gs_point *p);	/* 0 if its symbol isn't there */
void gs_unarmed(const struct gs_point *p, int err);
u32 gs_unarmed_points(void);
/* families/kprobe.c, for functions that have no ftrace site too */
int gs_kprobe_arm(const struct gs_point *p);
int gs_kprobe_start(struct kprobe *kp, const struct gs_hit *hit);
void gs_kprobe_update(struct kprobe *kp, const struct gs_hit *hit);
/* ftrace.c */
int gs_kprobe_registered(const struct kprobe *kp);
u32 gs_kprobes_so_far(void);
void gs_release_ftrace(void);
/* group.c */
extern const struct gs_group **gs_shared;	/* by point: the group in whose name it stands for others */

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
/* The order of its parameters is that in which ftrace hands us the same: there is nothing to be moved. */
bool gs_handle_seldom(u64 ip, struct gs_ctx *c, const struct gs_hit *hit, struct pt_regs *regs, u64 *saved);
/* condition.c: probes with "if (cond)" */
void gs_conditions_init(void (*update)(void));
void gs_conditions_start(void);
void gs_schedule_update(void);
void gs_conditions_changed(void);	/* what they read has been changed by no handler; in a running session */
void gs_conditions_stop(void);

/* transport.c */
/* Whether the oldest sub-buffers give way where there is no room. Once it is off, none is overwritten any more. */
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

/* later.c: a work item that handlers ask for. It calls gs_later_begun(). */
struct gs_later {
	struct irq_work irq;
	call_single_data_t elsewhere;
	struct delayed_work work;
	unsigned long every;		/* jiffies */
	unsigned long next;		/* not before */
};
void gs_later_init(struct gs_later *l, work_func_t work, unsigned long every);
void gs_later(struct gs_later *l);
void gs_later_begun(struct gs_later *l);
/* Has it run, once what was asked for until here has. Both may sleep. */
void gs_later_flush(struct gs_later *l);
void gs_later_stop(struct gs_later *l);
bool gs_in_irq_work(void);

/* userimage.c: files that processes map. Its functions are in userimage.h. */
int gs_images_init(void);
void gs_images_free(void);
long gs_next_image(struct gs_next_image __user *arg);
/* userknown.c: memory for stacks that have been followed, on CPUs that have none yet */
void gs_known_ustacks_init(int cpu);
u64 gs_known_ustacks_size(void);	/* of a CPU's, in bytes */
/* usertable.c */
long gs_take_table(struct gs_image_table __user *arg);
/* mmlock.c */
void gs_mm_locks_init(void);
void gs_mm_locks_free(void);
/* signal.c */
void gs_signals_init(void);
void gs_signals_free(void);

/* view.c: a script's globals and the figures of its probes, of --monitor */
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
