// SPDX-License-Identifier: GPL-2.0-or-later
/* numbers.c - numbers.stp written by hand. */
#include <stdio.h>

int main(void)
{
	long sum = 0, bits = 0;

	for (long i = 0; i < 10000000; i++) {
		sum += i * 3;
		if (sum % 7 == 3)
			bits ^= sum + (i << 2);
		else
			bits += sum & 0xff;
	}
	printf("%ld %ld\n", sum, bits);
	return 0;
}
