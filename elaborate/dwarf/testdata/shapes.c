// SPDX-License-Identifier: GPL-2.0-or-later

#include <stdio.h>
#include "shapes.h"

enum colour { RED = 3, GREEN = -7 };

struct declared_only;

struct shape {
	unsigned char low : 3, high : 5;
	int neg : 9;
	enum colour colour;
	short grid[2][3];
	union {
		unsigned int word;
		unsigned char bytes[4];
	};
	struct shape *next;
	const char *const *names;
	struct declared_only *opaque;
	int (*call)(struct shape *, char);
	double weight;
};

int counter = 5;
static int hidden = 6;

static int same(int x)
{
	return x + hidden;
}

__attribute__((noinline)) int area(struct shape *s, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += s->grid[0][i] + doubled(i);
	return sum + same(n);
}

int main(int argc, char **argv)
{
	struct shape s = { .low = 1, .grid = { { 1, 2, 3 } } };

	counter += area(&s, argc);
	printf("%d\n", other(counter));
	return 0;
}
