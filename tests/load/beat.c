// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * beat: calls beat() some hundred times a second until it is killed.
 */
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone, noipa))

PROBED long beat(long n, const char *text)
{
	return n + text[0];
}

int main(void)
{
	for (long n = 0;; n++) {
		beat(n, "beat");
		usleep(3000);
	}
}
