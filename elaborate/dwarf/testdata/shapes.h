/* SPDX-License-Identifier: GPL-2.0-or-later */
int other(int x);

static inline __attribute__((always_inline)) int doubled(int x)
{
	int y = x * 2;

	__asm__ volatile("" : "+r"(y));
	return y;
}
