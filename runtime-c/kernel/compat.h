/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.h - where kernels differ. Package modulebuild answers each question
 * below by looking for the word in the target's header, and defines the macro
 * to 1 or 0 on the compiler's command line:
 *
 * ask GS_HAVE_VM_FLAGS_CLEAR include/linux/mm.h vm_flags_clear
 * ask GS_HAVE_HRTIMER_SETUP include/linux/hrtimer.h hrtimer_setup
 */
#ifndef GS_COMPAT_H
#define GS_COMPAT_H

#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>

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

/* Before 6.13 struct ftrace_regs shows its registers. */
#ifndef arch_ftrace_regs
#define arch_ftrace_regs(fregs) (fregs)
#endif

#endif
