// SPDX-License-Identifier: GPL-2.0-or-later

#include "shapes.h"

static __attribute__((noinline)) int same(int x)
{
	return x - 1;
}

int other(int x)
{
	return same(doubled(x));
}
