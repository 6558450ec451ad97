// SPDX-License-Identifier: GPL-2.0-or-later
// ticks.c - a program with a function that calls a library's, for a minute; ADDS tells one copy from another.
#include <unistd.h>
int tock(int n);
__attribute__((noinline, noclone, noipa)) int tick(int n) { return tock(n) + ADDS; }
int main(void) { for (int i = 0; i < 600; i++) { tick(i); usleep(100000); } }
