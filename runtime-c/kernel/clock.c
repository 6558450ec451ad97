// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock.c - the time of records. The consumer merges by it, so it must ascend
 * from one handler to the next that takes the same lock, on any CPU.
 */
#include <linux/timekeeping.h>

#include "internal.h"

static bool gs_use_cycles;

void gs_clock_init(void)
{
	gs_use_cycles = gs_cycles_ascend();
}

/* Without a usable TSC: the kernel's clock, made strictly ascending: no two calls return the same number. */
static u64 gs_ascending_ns(void)
{
	static atomic64_t last ____cacheline_aligned_in_smp = ATOMIC64_INIT(0);
	s64 now = ktime_get_mono_fast_ns();
	s64 seen = atomic64_read(&last);

	do {
		if (now <= seen)
			now = seen + 1;
	} while (!atomic64_try_cmpxchg(&last, &seen, now));
	return now;
}

u64 gs_now(void)
{
	/* Ordered: it must not be read before the lock that the handler waited for. */
	return gs_use_cycles ? gs_cycles_ordered() : gs_ascending_ns();
}

gs_u64 gs_ns(void)
{
	return ktime_get_mono_fast_ns();
}

u32 gs_clock_khz(void)
{
	return gs_use_cycles ? gs_cycles_khz() : 0;
}

void gs_clock_pair(u64 *now, u64 *ns)
{
	unsigned long flags;

	local_irq_save(flags);
	*ns = ktime_get_mono_fast_ns();
	*now = gs_use_cycles ? gs_cycles_ordered() : *ns;
	local_irq_restore(flags);
}
