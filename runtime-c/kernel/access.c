// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * access.c - the script's loads and stores. An address may be anything: each
 * access is checked for its range and then left to the exception tables.
 */
#include <asm/word-at-a-time.h>

#include "useraccess.h"

static noinline __cold u64 gs_bad_address(struct gs_ctx *c, const char *what, u64 addr, int user, const char *near)
{
	if (!c->error) {
		snprintf(c->error_text, sizeof(c->error_text), "%s fault at %s address 0x%llx", what,
			 user ? "user" : "kernel", addr);
		gs_raise(c, c->error_text, near);
	}
	return 0;
}

gs_u64 gs_load(struct gs_ctx *c, gs_u64 addr, gs_u32 size, int user, const char *near)
{
	u64 value = 0;

	if (user) {
		if (!gs_load_user(c, &value, addr, size))
			goto fault;
		return value;
	}
	if (!gs_kernel_range(addr, size))
		goto fault;
	switch (size) {
	case 1:
		__get_kernel_nofault(&value, (u8 *)addr, u8, fault);
		return (u8)value;
	case 2:
		__get_kernel_nofault(&value, (u16 *)addr, u16, fault);
		return (u16)value;
	case 4:
		__get_kernel_nofault(&value, (u32 *)addr, u32, fault);
		return (u32)value;
	default:
		__get_kernel_nofault(&value, (u64 *)addr, u64, fault);
		return value;
	}
fault:
	return gs_bad_address(c, "read", addr, user, near);
}

/* copy_to_user_nofault() calls access_ok(), which warns when it is called in an interrupt. */
static bool gs_store_user(u64 addr, const void *from, size_t size)
{
	unsigned long left;

	if (size > TASK_SIZE_MAX || addr > TASK_SIZE_MAX - size)
		return false;
	pagefault_disable();
	left = __copy_to_user_inatomic((void __user *)addr, from, size);
	pagefault_enable();
	return !left;
}

void gs_store(struct gs_ctx *c, gs_u64 addr, gs_u64 value, gs_u32 size, int user, const char *near)
{
	if (user) {
		if (!gs_store_user(addr, &value, size))
			goto fault;
		return;
	}
	if (!gs_kernel_range(addr, size))
		goto fault;
	switch (size) {
	case 1:
		__put_kernel_nofault((u8 *)addr, &value, u8, fault);
		return;
	case 2:
		__put_kernel_nofault((u16 *)addr, &value, u16, fault);
		return;
	case 4:
		__put_kernel_nofault((u32 *)addr, &value, u32, fault);
		return;
	default:
		__put_kernel_nofault((u64 *)addr, &value, u64, fault);
		return;
	}
fault:
	gs_bad_address(c, "write", addr, user, near);
}

/* n bytes that lie in one page; n is 1 or 8. */
static __always_inline bool gs_load_part(const struct gs_ctx *c, u64 *word, u64 addr, size_t n, int user)
{
	if (user)
		return gs_load_user(c, word, addr, n);
	if (!gs_kernel_range(addr, n))
		return false;
	if (n == 8)
		__get_kernel_nofault(word, (u64 *)addr, u64, fault);
	else
		__get_kernel_nofault(word, (u8 *)addr, u8, fault);
	return true;
fault:
	return false;
}

int gs_read(void *to, gs_u64 addr, gs_size n, int user)
{
	if (user)
		return copy_from_user_nofault(to, (const void __user *)addr, n) ? -1 : 0;
	if (n && (!gs_kernel_range(addr, n) || copy_from_kernel_nofault(to, (void *)addr, n)))
		return -1;
	return 0;
}

/* A word at a time where it stays within its page and the target, else bytes. */
long gs_load_string(struct gs_ctx *c, char *to, gs_u64 addr, gs_size max, int user)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	gs_size at = 0;

	if (!max)
		return -1;
	while (at < max - 1) {
		size_t n = offset_in_page(addr + at) <= PAGE_SIZE - 8 && max - 1 - at >= 8 ? 8 : 1;
		unsigned long zeros;
		u64 word = 0;

		if (!gs_load_part(c, &word, addr + at, n, user))
			return -1;
		if (n == 1) {
			to[at] = word;
			if (!to[at])
				return at;
		} else {
			memcpy(to + at, &word, 8);
			if (has_zero(word, &zeros, &constants)) {
				zeros = prep_zero_mask(word, zeros, &constants);
				return at + find_zero(create_zero_mask(zeros));
			}
		}
		at += n;
	}
	to[at] = 0;
	return at;
}
