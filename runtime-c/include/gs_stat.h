/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_stat.h - pieces of statistics. Generated code composes a struct of those
 * that the script uses; count and sum come first in each.
 */
#ifndef GS_STAT_H
#define GS_STAT_H

struct gs_stat {
	gs_s64 count;
	gs_s64 sum;
};

/* Welford's online variance, in integers scaled by 1 << shift. */
struct gs_variance {
	gs_s64 mean;
	gs_s64 m2;
};

/* Adds value as the count-th (from 1). */
void gs_variance_add(struct gs_variance *v, gs_s64 count, gs_s64 value, gs_s64 shift);
/* Adds b's variance to a's; their counts and sums are given. */
void gs_variance_merge(struct gs_variance *a, struct gs_stat an, const struct gs_variance *b, struct gs_stat bn,
		       gs_s64 shift);
/*
 * The variance of an array's element, and that of a scalar, for which
 * SystemTap uses the exact mean, not the running one: of 1 to 5 it is 12
 * (stap(1), STATISTICS).
 */
gs_s64 gs_variance_read(const struct gs_variance *v, gs_s64 count, gs_s64 shift);
gs_s64 gs_variance_total(const struct gs_variance *v, struct gs_stat n, gs_s64 shift);

/*
 * Logarithmic histograms: bucket 64 counts 0, 64+n those from 2^(n-1) to
 * below 2^n, 64-n their negatives.
 */
#define GS_LOG_BUCKETS 128
gs_inline gs_u32 gs_log_bucket(gs_s64 value)
{
	if (value > 0)
		return 128 - __builtin_clzll(value);
	if (value < 0)
		return __builtin_clzll(0 - (gs_u64)value);
	return 64;
}

/*
 * Linear histograms: bucket 0 counts what is below low, 1 .. n the intervals
 * from there on, all of them whole, n+1 what is above the last.
 */
gs_inline gs_u32 gs_linear_bucket(gs_s64 value, gs_s64 low, gs_s64 interval, gs_u32 n)
{
	gs_u64 i;

	if (value < low)
		return 0;
	i = ((gs_u64)value - (gs_u64)low) / (gs_u64)interval;
	return i < n ? i + 1 : n + 1;
}

/* Sends a histogram's n buckets; hist is its index in the manifest. */
void gs_print_hist(struct gs_ctx *c, gs_u32 hist, const gs_s64 *buckets, gs_u32 n);

/* A histogram that is drawn into a string; near is HIST_ELISION. */
struct gs_hist {
	int linear;
	int newline;		    /* one more at the end */
	gs_s64 low, interval;
	gs_s64 near;
};

/* Draws a histogram's n buckets into the size bytes at `to`, cut to what fits. */
struct gs_str gs_sprint_hist(char *to, gs_size size, const struct gs_hist *h, const gs_s64 *buckets, gs_u32 n);

/*
 * In which order a foreach over a histogram visits its n buckets. direction
 * and by_count as in struct Foreach: 0 for unsorted.
 */
void gs_sort_buckets(const gs_s64 *buckets, gs_u32 n, gs_u16 *order, int direction, int by_count);

#endif
