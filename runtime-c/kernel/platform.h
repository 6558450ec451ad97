/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * platform.h - included by embedded C in the kernel: the kernel headers that are used
 * most, and the runtime's interface. Embedded C runs in handlers: interrupts are off,
 * and it may neither sleep nor allocate.
 */
#ifndef GS_PLATFORM_H
#define GS_PLATFORM_H

#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/fdtable.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/timekeeping.h>
#include <linux/uidgid.h>
#include <linux/version.h>
#include <asm/tsc.h>

#include "gostap.h"

/* Differences between kernels, by the checks in compat.h. */
#if GS_HAVE_TASK___STATE
#define GS_TASK_STATE __state
#else
#define GS_TASK_STATE state
#endif
#if GS_HAVE_TASK_CPU
#define GS_TASK_CPU cpu
#else
#define GS_TASK_CPU thread_info.cpu
#endif
#if GS_HAVE_TRACE_PUTS_SIZE
#define gs_trace_puts(ip, text) __trace_puts(ip, text, strlen(text))
#else
#define gs_trace_puts(ip, text) __trace_puts(ip, text)
#endif

#if !GS_HAVE_STRLCPY
/* Removed in Linux 6.8, and used by scripts' embedded C. */
static inline size_t strlcpy(char *to, const char *from, size_t size)
{
	size_t len = strlen(from);

	if (size) {
		size = len < size ? len : size - 1;
		memcpy(to, from, size);
		to[size] = 0;
	}
	return len;
}
#endif

/* For scripts' embedded C: macros of SystemTap's about the kernel, and a function that was removed in Linux 5.11. */
#define STAPCONF_DPATH_PATH 1
#define STAPCONF_LINUX_UIDGID_H 1
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define fcheck_files(files, fd) files_lookup_fd_raw(files, fd)
#endif

/* The handler's registers as the kernel's struct pt_regs; NULL if there are none. */
static inline struct pt_regs *gs_pt_regs(struct gs_ctx *c)
{
	return (struct pt_regs *)c->regs;
}

#endif
