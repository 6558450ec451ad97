// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stat.c - statistics: functions that are called too rarely to be inlined.
 */
#include "gostap.h"
#include "protocol.h"

static gs_s64 gs_quotient(gs_s64 x, gs_s64 y)
{
	return y == -1 ? gs_sub(0, x) : x / y;
}

void gs_variance_add(struct gs_variance *v, gs_s64 count, gs_s64 value, gs_s64 shift)
{
	gs_s64 scaled = gs_shl(value, shift);
	gs_s64 delta = gs_sub(scaled, v->mean);

	if (count == 1) {
		v->mean = scaled;
		v->m2 = 0;
		return;
	}
	v->mean = gs_add(v->mean, delta / count);
	v->m2 = gs_add(v->m2, gs_mul(delta, gs_sub(scaled, v->mean)));
}

/* The sum of squares of v relative to `mean`, which may differ from v's own mean by rounding. */
static gs_s64 gs_squares(const struct gs_variance *v, gs_s64 count, gs_s64 mean)
{
	gs_s64 off = gs_sub(v->mean, mean);
	gs_s64 own = count > 1 ? gs_mul(gs_quotient(v->m2, count - 1), count - 1) : 0;

	return gs_add(gs_mul(count, gs_mul(off, off)), own);
}

void gs_variance_merge(struct gs_variance *a, struct gs_stat an, const struct gs_variance *b, struct gs_stat bn,
		       gs_s64 shift)
{
	gs_s64 count = gs_add(an.count, bn.count);
	gs_s64 mean;

	if (!bn.count)
		return;
	if (!an.count) {
		*a = *b;
		return;
	}
	mean = gs_quotient(gs_shl(gs_add(an.sum, bn.sum), shift), count);
	a->m2 = gs_add(gs_squares(a, an.count, mean), gs_squares(b, bn.count, mean));
	a->mean = mean;
}

gs_s64 gs_variance_read(const struct gs_variance *v, gs_s64 count, gs_s64 shift)
{
	if (count < 2)
		return 0;
	return gs_shr(v->m2 / (count - 1), 2 * shift);
}

gs_s64 gs_variance_total(const struct gs_variance *v, struct gs_stat n, gs_s64 shift)
{
	gs_s64 mean;

	if (n.count < 2)
		return 0;
	mean = gs_shl(n.sum, shift) / n.count;
	return gs_shr(gs_squares(v, n.count, mean) / (n.count - 1), 2 * shift);
}

void gs_print_hist(struct gs_ctx *c, gs_u32 hist, const gs_s64 *buckets, gs_u32 n)
{
	char *p = gs_reserve(c, GS_REC_HIST, 4 + n * 8);
	gs_u32 i;

	if (!p)
		return;
	GS_U32(p) = hist;
	p += 4;
	for (i = 0; i < n; i++)
		p = gs_pack_long(p, buckets[i]);
	gs_commit(c);
}

/* An insertion sort: histograms are small, and mostly in order. */
void gs_sort_buckets(const gs_s64 *buckets, gs_u32 n, gs_u16 *order, int direction, int by_count)
{
	gs_u32 i, at;

	for (i = 0; i < n; i++) {
		gs_u32 bucket = direction < 0 && !by_count ? n - 1 - i : i;

		for (at = i; at && direction && by_count; at--) {
			gs_s64 before = buckets[order[at - 1]];

			if (direction > 0 ? before <= buckets[bucket] : before >= buckets[bucket])
				break;
			order[at] = order[at - 1];
		}
		order[at] = bucket;
	}
}
