/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tock.c - the library of ticks.c. */
__attribute__((noinline, noclone, noipa)) int tock(int n) { return n; }
