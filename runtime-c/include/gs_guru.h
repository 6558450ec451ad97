/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_guru.h - macros for scripts' own embedded C, beside gs_embed.h, with SystemTap's names
 * (language reference 3.5 to 3.8). Unlike the library's embedded C, it may have functions at
 * the top level, which have no CONTEXT, and loads that fail jump to a label.
 */
#ifndef GS_GURU_H
#define GS_GURU_H

#undef CONTEXT
#define CONTEXT gs_this_context()
#define last_error error
#define probe_point point->name

/* What CONTEXT->last_error may be set to; a script whose strings are longer would write beyond it. */
#if MAXSTRINGLEN <= GS_ERROR_MAX
#define error_buffer error_text
#endif

/* The registers at the probed address: CONTEXT->kregs if it is in the kernel, CONTEXT->uregs if it is in a program. */
static inline __attribute__((unused)) void gs_guru_registers(struct gs_ctx *c)
{
	int user = c->regs && gs_regs_of_user(c->regs);

	c->kregs = user ? NULL : (struct pt_regs *)c->regs;
	c->uregs = user ? (struct pt_regs *)c->regs : NULL;
}

#define REG_IP(regs) ((regs)->ip)
#define REG_SP(regs) ((regs)->sp)
#define REG_FP(regs) ((regs)->bp)
#define SET_REG_IP(regs, to) ((regs)->ip = (to))

#define STAP_VERSION(major, minor) (((major) << 8) + (minor))

/*
 * A load that fails jumps to CATCH_DEREF_FAULT() in functions at the top level; in functions
 * of the script and expressions, to their end, so that nothing has to be caught.
 */
#define GS_DEREF_FAULT deref_fault
#define CATCH_DEREF_FAULT()       \
	do {                      \
		if (0) {          \
	deref_fault:;             \
		}                 \
	} while (0)

#define gs_guru_read(to, addr, size, user)                                                         \
	do {                                                                                       \
		if (gs_read((to), (gs_u64)(unsigned long)(addr), (size), (user))) {                \
			gs_errorf(CONTEXT, "%s fault at %s address 0x%llx", "read",                \
				  (user) ? "user" : "kernel",                                      \
				  (unsigned long long)(unsigned long)(addr));                      \
			goto GS_DEREF_FAULT;                                                       \
		}                                                                                  \
	} while (0)

#define gs_guru_store(addr, value, size, user)                                                     \
	do {                                                                                       \
		gs_store(CONTEXT, (gs_u64)(unsigned long)(addr), (gs_u64)(value), (size), (user), NULL); \
		if (CONTEXT->error)                                                                \
			goto GS_DEREF_FAULT;                                                       \
	} while (0)

/* Loads and stores through a pointer. */
#define gs_guru_value(ptr, user)                                    \
	({                                                          \
		__typeof__(*(ptr)) gs_value_;                       \
		gs_guru_read((void *)&gs_value_, (ptr), sizeof(gs_value_), (user)); \
		gs_value_;                                          \
	})
#define kread(ptr) gs_guru_value(ptr, 0)
#define uread(ptr) gs_guru_value(ptr, 1)
#define kwrite(ptr, value) gs_guru_store((ptr), (__typeof__(*(ptr)))(value), sizeof(*(ptr)), 0)
#define uwrite(ptr, value) gs_guru_store((ptr), (__typeof__(*(ptr)))(value), sizeof(*(ptr)), 1)

/* size bytes, 1, 2, 4 or 8, at an address. */
#define gs_guru_deref(size, addr, user)                             \
	({                                                          \
		gs_u64 gs_value_ = 0;                               \
		gs_guru_read(&gs_value_, (addr), (size), (user));   \
		(gs_s64)gs_value_;                                  \
	})
#define kderef(size, addr) gs_guru_deref(size, addr, 0)
#define uderef(size, addr) gs_guru_deref(size, addr, 1)
#define deref(size, addr) gs_guru_deref(size, addr, 0)
#define store_kderef(size, addr, value) gs_guru_store(addr, value, size, 0)
#define store_uderef(size, addr, value) gs_guru_store(addr, value, size, 1)
#define store_deref(size, addr, value) gs_guru_store(addr, value, size, 0)

/* Reads n bytes into a buffer; returns its address. Without a buffer (NULL): tests whether they can be read. */
#define gs_guru_buffer(to, addr, n, user)                           \
	({                                                          \
		char gs_byte_, *gs_to_ = (char *)(to);              \
		gs_size gs_i_, gs_n_ = (n);                         \
		if (gs_to_)                                         \
			gs_guru_read(gs_to_, (addr), gs_n_, (user));\
		for (gs_i_ = 0; !gs_to_ && gs_i_ < gs_n_; gs_i_++)  \
			gs_guru_read(&gs_byte_, (unsigned long)(addr) + gs_i_, 1, (user)); \
		gs_to_;                                             \
	})
#define kderef_buffer(to, addr, n) gs_guru_buffer(to, addr, n, 0)
#define uderef_buffer(to, addr, n) gs_guru_buffer(to, addr, n, 1)

/* The string at an address, at most size bytes with its NUL. */
#define gs_guru_string(to, addr, size, user)                                                       \
	do {                                                                                       \
		if (gs_load_string(CONTEXT, (to), (gs_u64)(unsigned long)(addr), (size), (user)) < 0) { \
			gs_errorf(CONTEXT, "read fault at %s address 0x%llx", (user) ? "user" : "kernel", \
				  (unsigned long long)(unsigned long)(addr));                      \
			goto GS_DEREF_FAULT;                                                       \
		}                                                                                  \
	} while (0)
#define kderef_string(to, addr, size) gs_guru_string(to, addr, size, 0)
#define uderef_string(to, addr, size) gs_guru_string(to, addr, size, 1)
#define deref_string(to, addr, size) gs_guru_string(to, addr, size, 0)

#define _stp_printf(...) gs_printf(CONTEXT, __VA_ARGS__)
#define _stp_print(text) gs_printf(CONTEXT, "%s", (text))
#define _stp_print_char(c) gs_printf(CONTEXT, "%c", (c))
#define _stp_snprintf(...) snprintf(__VA_ARGS__)
#define _stp_vsnprintf(...) vsnprintf(__VA_ARGS__)
#define _stp_exit() gs_exit(CONTEXT)

static inline __attribute__((unused, format(printf, 2, 3))) void gs_guru_warn(struct gs_ctx *c, const char *format, ...)
{
	char *scratch = c->frame_end - MAXSTRINGLEN;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(scratch, MAXSTRINGLEN, format, args);
	va_end(args);
	gs_warn(c, (struct gs_str){ scratch, n < MAXSTRINGLEN ? n : MAXSTRINGLEN - 1 });
}
#define _stp_warn(...) gs_guru_warn(CONTEXT, __VA_ARGS__)
#define _stp_error(...) gs_errorf(CONTEXT, __VA_ARGS__)
#define _stp_softerror(...) gs_errorf(CONTEXT, __VA_ARGS__)

#endif
