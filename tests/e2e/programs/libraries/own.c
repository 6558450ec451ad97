/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own.c - a library with thread-local variables. */
static __thread int fills_a_gap = 1;
static __thread long own = 7;

__attribute__((noinline, noclone)) long bump(long n)
{
	own += n;
	return own + fills_a_gap;
}
