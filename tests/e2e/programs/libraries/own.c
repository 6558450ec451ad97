/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own.c - a library with thread-local variables, and a mark with a variable's address, by the global offset table. */
#include <sys/sdt.h>

long bumped;
static __thread int fills_a_gap = 1;
static __thread long own = 7;

__attribute__((noinline, noclone)) static void tell(long n)
{
	STAP_PROBE2(own, bumped, n, &bumped);
}

__attribute__((noinline, noclone)) long bump(long n)
{
	own += n;
	bumped += n;
	tell(n);
	return own + fills_a_gap;
}
