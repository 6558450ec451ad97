/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * platform.h - included by embedded C on the host: libc.
 */
#ifndef GS_PLATFORM_H
#define GS_PLATFORM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Functions of the kernel that older C libraries lack. */
#ifndef strlcpy
static inline __attribute__((unused)) size_t gs_host_strlcpy(char *to, const char *from, size_t size)
{
	size_t n = strlen(from), fits = n < size ? n : size - 1;

	if (size) {
		memmove(to, from, fits);
		to[fits] = 0;
	}
	return n;
}

static inline __attribute__((unused)) size_t gs_host_strlcat(char *to, const char *from, size_t size)
{
	size_t n = strnlen(to, size);

	return n + (n < size ? gs_host_strlcpy(to + n, from, size - n) : strlen(from));
}
#define strlcpy gs_host_strlcpy
#define strlcat gs_host_strlcat
#endif

#endif
