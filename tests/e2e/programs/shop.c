// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shop.c - passes by static marks of systemtap-sdt-dev's whose operands are floating point, in vector registers and in memory.
 */
#define STAP_SDT_ARG_CONSTRAINT norx
#include <stdlib.h>
#include <sys/sdt.h>

int main(int argc, char **argv)
{
	volatile double total = 0;
	volatile float least = 1e30f;

	for (int i = 1; i < argc; i++) {
		double price = strtod(argv[i], NULL);
		float half = price / 2;

		total += price;
		if (half < least)
			least = half;
		STAP_PROBE3(shop, sold, price, half, i);
		STAP_PROBE3(shop, sum, total, least, -i);
	}
	return 0;
}
