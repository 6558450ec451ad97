/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.h - where kernels differ. For each check below, package modulebuild
 * searches the target's file, or several, for a regular expression, and defines
 * the macro as 1 or 0 on the compiler's command line:
 *
 * check GS_HAVE_VM_FLAGS_CLEAR include/linux/mm.h vm_flags_clear
 * check GS_HAVE_HRTIMER_SETUP include/linux/hrtimer.h hrtimer_setup
 * check GS_HAVE_PDE_DATA include/linux/proc_fs.h pde_data
 * check GS_HAVE_PREV_PADDING include/linux/relay.h prev_padding
 * check GS_HAVE_FTRACE_REGS include/linux/ftrace.h ftrace_regs
 * check GS_HAVE_RECURSION_SAFE include/linux/ftrace.h FTRACE_OPS_FL_RECURSION_SAFE
 * check GS_HAVE_FILTER_IPS include/linux/ftrace.h ftrace_set_filter_ips
 * check GS_HAVE_FREE_FILTER Module.symvers ftrace_free_filter
 * check GS_HAVE_GET_KRETPROBE include/linux/kprobes.h get_kretprobe
 * check GS_HAVE_KRETPROBE_RETADDR include/linux/kprobes.h get_kretprobe_retaddr
 * check GS_HAVE_TASK_WORK Module.symvers task_work_add
 * check GS_HAVE_RESV_START_OP include/net/genetlink.h resv_start_op
 * check GS_HAVE_UPROBE_REFCTR include/linux/uprobes.h uprobe_register_refctr
 * check GS_HAVE_UPROBE_NOSYNC include/linux/uprobes.h uprobe_unregister_nosync
 * check GS_HAVE_UPROBE_DATA include/linux/uprobes.h handler\).*__u64
 * check GS_HAVE_GUP_VMAS include/linux/mm.h get_user_pages_remote\([^;]*vmas
 * check GS_HAVE_HONOR_NUMA_FAULT include/linux/mm_types.h FOLL_HONOR_NUMA_FAULT
 * check GS_HAVE_TASK_FPU arch/x86/include/asm/processor.h x86_task_fpu
 * check GS_HAVE_FPSTATE arch/x86/include/asm/fpu/types.h __fpstate
 *
 * and for platform.h, some for taskstack.c, too:
 *
 * check GS_HAVE_STRLCPY include/linux/string.h strlcpy\(
 * check GS_HAVE_TASK___STATE include/linux/sched.h __state
 * check GS_HAVE_TASK_CPU include/linux/sched.h p->cpu
 * check GS_HAVE_TRACE_PUTS_SIZE include/linux/kernel.h,include/linux/trace_printk.h __trace_puts\(.*size
 */
#ifndef GS_COMPAT_H
#define GS_COMPAT_H

#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/proc_fs.h>

#if !GS_HAVE_VM_FLAGS_CLEAR
static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#if !GS_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

#if !GS_HAVE_PDE_DATA
#define pde_data PDE_DATA
#endif

/* The last parameter of relay's subbuf_start(), before it was dropped. */
#if GS_HAVE_PREV_PADDING
#define GS_PREV_PADDING , size_t prev_padding
#else
#define GS_PREV_PADDING
#endif

/* Before 5.11 ftrace's callbacks get the struct pt_regs that is in struct ftrace_regs since then. Since 6.13 it is opaque. */
#if !GS_HAVE_FTRACE_REGS
#define ftrace_regs pt_regs
#define gs_ftrace_regs(fregs) (fregs)
#elif defined(arch_ftrace_regs)
#define gs_ftrace_regs(fregs) (&arch_ftrace_regs(fregs)->regs)
#else
#define gs_ftrace_regs(fregs) (&(fregs)->regs)
#endif

/* The flags of every ops: the runtime guards itself against recursion, and handlers read the arguments. */
#if GS_HAVE_RECURSION_SAFE
#define GS_OPS_RECURSION FTRACE_OPS_FL_RECURSION_SAFE
#else
#define GS_OPS_RECURSION 0
#endif
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define GS_OPS_FLAGS GS_OPS_RECURSION
#else
#define GS_OPS_FLAGS (GS_OPS_RECURSION | FTRACE_OPS_FL_SAVE_REGS)
#endif

/* Before 5.18 ftrace copies the whole filter for each function that is added, so groups have to be small. */
#if GS_HAVE_FILTER_IPS
#define GS_GROUP_MAX U32_MAX
#else
#define GS_GROUP_MAX 1024
static inline int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int n, int remove,
					int reset)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = ftrace_set_filter_ip(ops, ips[i], remove, reset);
	return err;
}
#endif

#if !GS_HAVE_FREE_FILTER
#define ftrace_free_filter(ops) ftrace_set_filter(ops, NULL, 0, 1)
#endif

/* Before 5.11 kretprobes take locks. */
#define GS_KRETPROBES_LOCKLESS GS_HAVE_GET_KRETPROBE

#if !GS_HAVE_GET_KRETPROBE
static inline struct kretprobe *get_kretprobe(struct kretprobe_instance *ri)
{
	return ri->rp;
}
#endif

/*
 * The last return that the current task has hooked, which kretprobes keep with
 * the task since 5.11. Their own count of missed hits is not exact if several
 * CPUs miss hits at once.
 */
#define GS_SHOWS_HOOKED GS_HAVE_GET_KRETPROBE
static __always_inline const void *gs_last_hooked(void)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	return READ_ONCE(current->rethooks.first);
#elif GS_SHOWS_HOOKED
	return READ_ONCE(current->kretprobe_instances.first);
#else
	return NULL;
#endif
}

/* In a return handler, the address that the function returns to; the registers have it since 5.16. */
static inline void gs_at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
#if !GS_HAVE_KRETPROBE_RETADDR
	regs->ip = (unsigned long)ri->ret_addr;
#endif
}

#if GS_HAVE_RESV_START_OP
#define GS_RESV_START_OP(op) .resv_start_op = (op),
#else
#define GS_RESV_START_OP(op)
#endif

/* Brings a page of another address space, whose lock is held, and does not hold it. */
static inline long gs_get_user_page(struct mm_struct *mm, unsigned long addr, unsigned int flags)
{
#if GS_HAVE_GUP_VMAS
	return get_user_pages_remote(mm, addr, 1, flags, NULL, NULL, NULL);
#else
	return get_user_pages_remote(mm, addr, 1, flags, NULL, NULL);
#endif
}

/* A page that is only away to see who uses it is brought, too; before 6.6 it always is. */
#if GS_HAVE_HONOR_NUMA_FAULT
#define GS_FOLL_NUMA FOLL_HONOR_NUMA_FAULT
#else
#define GS_FOLL_NUMA 0
#endif

/* Before 5.13 FUSE alone knows it. */
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

#ifndef in_hardirq
#define in_hardirq() in_irq()
#endif

#endif
