/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * useraccess.h - loads from the current program's memory. Inline, as handlers
 * do them on each hit.
 */
#ifndef GS_USERACCESS_H
#define GS_USERACCESS_H

#include <linux/uaccess.h>

#include "internal.h"

/* 1, 2, 4 or 8 bytes of a program whose address space is known to be loaded. */
static __always_inline bool gs_get_user(u64 *to, u64 addr, size_t size)
{
	u64 value = 0;
	u32 four;
	u16 two;
	u8 one;

	if (addr > TASK_SIZE_MAX - size)
		return false;
	__uaccess_begin_nospec();
	switch (size) {
	case 1:
		unsafe_get_user(one, (u8 __user *)addr, fault);
		value = one;
		break;
	case 2:
		unsafe_get_user(two, (u16 __user *)addr, fault);
		value = two;
		break;
	case 4:
		unsafe_get_user(four, (u32 __user *)addr, fault);
		value = four;
		break;
	default:
		unsafe_get_user(value, (u64 __user *)addr, fault);
	}
	__uaccess_end();
	*to = value;
	return true;
fault:
	__uaccess_end();
	return false;
}

/* Was the hit in user space? Then the process's address space is loaded. */
static __always_inline bool gs_hit_in_user(const struct gs_ctx *c)
{
	return c->regs && gs_regs_of_user(c->regs);
}

/* The same of any program, without waiting for memory that is not there. */
static __always_inline bool gs_load_user(const struct gs_ctx *c, u64 *to, u64 addr, size_t size)
{
	bool done;

	if (!gs_hit_in_user(c)) {
		*to = 0;
		return !copy_from_user_nofault(to, (const void __user *)addr, size);
	}
	pagefault_disable();
	done = gs_get_user(to, addr, size);
	pagefault_enable();
	return done;
}

#endif
