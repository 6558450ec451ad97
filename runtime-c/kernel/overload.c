// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * overload.c - measures how much of each CPU's time handlers take. To time every
 * hit would cost more than many handlers, so hits are sampled, at random 1 to
 * GS_SAMPLE apart; a sample stands for the hits since the last one, and the
 * counter in busy tells when the next is due. After a long handler, the next hit is timed,
 * too: the relative cost is small, and all long handlers are timed.
 *
 * A virtual CPU's clock advances while the hypervisor runs something else. If
 * that happens in a timed handler, the sample is far too large. So a sample
 * never counts for more than the time since the last one, the largest sample of
 * an interval is left out, and the session ends only after several consecutive
 * intervals above the limit.
 */
#include <linux/math64.h>
#include <asm/timex.h>

#include "dispatch.h"

#define GS_SAMPLE 512			/* the mean number of hits that a sample stands for is half of it */
#define GS_LONG_CYCLES 5000		/* a handler that takes more is long */
#define GS_MIN_SAMPLES 16		/* an interval ends only with as many samples */
#define GS_INTERVALS 3			/* consecutive ones above the limit end the session */

/* Called before any handler runs. */
void gs_loads_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct gs_cpu *me = per_cpu_ptr(gs_cpus, cpu);

		me->load.random = cpu + 1;
		me->load.hits = 1;
		me->ctx.busy += GS_DUE;
	}
}

static u32 gs_random_hits(struct gs_load *l)
{
	l->random = l->random * 6364136223846793005ull + 1442695040888963407ull;
	return 1 + (u32)(l->random >> 40) % GS_SAMPLE;
}

static void gs_load_new_interval(struct gs_load *l, u64 now)
{
	l->begun = now;
	l->spent = 0;
	l->largest = 0;
	l->samples = 0;
}

static void gs_overload(u32 cpu)
{
	const struct gs_limits *limits = &gs_program.limits;
	char text[320];
	int n;

	n = scnprintf(text, sizeof(text),
		      "STP_OVERLOAD_THRESHOLD exceeded: handlers took more than %llu%% of CPU %u's time; "
		      "raise it with -D STP_OVERLOAD_THRESHOLD=n (now %llu of every STP_OVERLOAD_INTERVAL=%llu cycles), "
		      "or switch it off with -D STP_NO_OVERLOAD or --suppress-time-limits",
		      div64_u64(limits->overload_threshold * 100, limits->overload_interval), cpu,
		      limits->overload_threshold, limits->overload_interval);
	gs_message(GS_MSG_ERROR, text, n, NULL, NULL);
	gs_end_session(GS_STATE_FAILED);
}

/* Adds a sample: hits handlers have run since the last one; the last of them took from start to now. */
static void gs_load_add(struct gs_load *l, u32 cpu, u64 hits, u64 start, u64 now)
{
	u64 limit = gs_program.limits.overload_threshold, interval = gs_program.limits.overload_interval;
	u64 spent;

	if (!l->begun) {
		gs_load_new_interval(l, start);
		l->last = start;
	}
	spent = min((now - start) * hits, now - l->last);
	l->last = now;
	l->spent += spent;
	l->largest = max(l->largest, spent);
	if (++l->samples < GS_MIN_SAMPLES || now - l->begun < interval)
		return;
	if (mul_u64_u64_div_u64(l->spent - l->largest, interval, now - l->begun) <= limit)
		l->over = 0;
	else if (++l->over == GS_INTERVALS)
		gs_overload(cpu);
	gs_load_new_interval(l, now);
}

/* The slow path of gs_handle(): the context is taken, the stack may be low, or the hit is to be timed. */
noinline bool gs_handle_seldom(u64 ip, struct gs_ctx *c, const struct gs_hit *hit, struct pt_regs *regs, u64 *saved)
{
	struct gs_load *l = &container_of(c, struct gs_cpu, ctx)->load;
	s32 left = c->busy;
	u64 start, now;
	bool done;

	if (!gs_may_take(c, hit->slot))
		return false;
	if (left > GS_DUE)
		return gs_handle(c, hit, hit->slot, regs, ip, saved);
	gs_take(c);
	start = get_cycles();
	done = gs_call(c, hit, hit->slot, regs, ip, saved);
	now = get_cycles();
	if (gs_program.limits.overload_threshold) {
		gs_load_add(l, c->cpu, l->hits + (GS_DUE - left), start, now);
		l->hits = now - start < GS_LONG_CYCLES ? gs_random_hits(l) : 1;
	} else {
		l->hits = GS_DUE - 1;
	}
	barrier();
	c->busy = GS_DUE + l->hits - 1;
	return done;
}
