// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timer.c - timer probes: the thread sleeps until the next is due.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host.h"

struct timer {
	const struct gs_point *point;
	gs_u64 due;
};

gs_u64 gs_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

gs_u64 gs_ns(void)
{
	return gs_now();
}

/* args: the period and its random deviation, both in ns. */
static gs_u64 interval(const struct gs_point *p)
{
	gs_s64 ns = p->args[0];

	if (p->args[1])
		ns += random() % (2 * p->args[1] + 1) - p->args[1];
	return ns > 0 ? ns : 1;
}

static struct timer *next_timer(struct timer *timers, gs_u32 n)
{
	struct timer *first = NULL;
	gs_u32 i;

	for (i = 0; i < n; i++)
		if (!first || timers[i].due < first->due)
			first = &timers[i];
	return first;
}

/* Sleeps until `due` or until a signal comes; one that came just before counts, too. */
static void sleep_until(gs_u64 due)
{
	gs_u64 now = gs_now(), left = due > now ? due - now : 0;
	struct timespec t = { left / 1000000000, left % 1000000000 };
	sigset_t both, before;

	gs_flush();
	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGTERM);
	sigprocmask(SIG_BLOCK, &both, &before);
	if (gs_running())
		ppoll(NULL, 0, &t, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void gs_run_timers(gs_u64 deadline)
{
	struct timer *timers = calloc(gs_program.npoints + 1, sizeof(*timers));
	gs_u64 start = gs_now();
	gs_u32 i, n = 0;

	for (i = 0; i < gs_program.npoints; i++) {
		const struct gs_point *p = &gs_program.points[i];

		if (!strcmp(p->family, "timer"))
			timers[n++] = (struct timer){ p, start + interval(p) };
	}
	while (gs_running()) {
		struct timer *t = next_timer(timers, n);
		gs_u64 due = t && t->due < deadline ? t->due : deadline;
		gs_u64 now = gs_now();

		if (now < due) {
			sleep_until(due);
			continue;
		}
		if (due == deadline)
			break;
		t->due += interval(t->point);
		if (t->due < now)
			t->due = now;
		gs_run_point(t->point);
	}
	free(timers);
}
