// SPDX-License-Identifier: GPL-2.0-or-later
/* functions.c - functions.stp written by hand. */
#include <stdio.h>

static long gcd(long a, long b)
{
	while (b) {
		long rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static long steps(long n)
{
	long count = 0;

	while (n > 1) {
		n = n & 1 ? 3 * n + 1 : n >> 1;
		count++;
	}
	return count;
}

int main(void)
{
	long divisors = 0, longest = 0;

	for (long i = 1; i < 100000; i++) {
		long n = steps(i);

		divisors += gcd(i * 12, 9240);
		longest = n > longest ? n : longest;
	}
	printf("%ld %ld\n", divisors, longest);
	return 0;
}
