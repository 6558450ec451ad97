// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hist.c - histograms drawn into strings. consumer/hist.go draws
 * those that are printed; both have to agree.
 */
#include "gostap.h"

#define GS_HIST_WIDTH 50

/* A drawing: buckets first to last, with one @ for each per_mark. */
struct gs_drawing {
	const struct gs_hist *h;
	const gs_s64 *buckets;
	gs_u32 n, first, last;
	gs_s64 label_width, count_width, per_mark;
};

struct gs_page {
	char *to;
	gs_size size, len;
};

/* Appends text, with spaces before it up to width. */
static void gs_page_text(struct gs_page *p, gs_s64 width, struct gs_str text)
{
	gs_s64 pad = width - (gs_s64)text.len;

	for (; pad > 0; pad--)
		p->len = gs_append(p->to, p->size, p->len, GS_LIT(" "));
	p->len = gs_append(p->to, p->size, p->len, text);
}

static void gs_page_fill(struct gs_page *p, char ch, gs_s64 n)
{
	for (; n > 0; n--)
		p->len = gs_append(p->to, p->size, p->len, (struct gs_str){ &ch, 1 });
}

static struct gs_str gs_number_text(char *to, gs_size size, const char *format, gs_s64 number)
{
	union gs_arg arg = { .n = number };

	return gs_format(to, size, format, &arg);
}

/* The label of bucket i: see bucketValue() and bucketLabel() in consumer/hist.go. */
static struct gs_str gs_hist_label(const struct gs_drawing *d, gs_u32 i, char *to, gs_size size)
{
	const struct gs_hist *h = d->h;
	gs_u32 middle = d->n / 2;

	if (h->linear && !i)
		return gs_number_text(to, size, "<%d", h->low);
	if (h->linear && i == d->n - 1)
		return gs_number_text(to, size, ">%d", gs_add(h->low, gs_mul((gs_s64)i - 2, h->interval)));
	if (h->linear)
		return gs_number_text(to, size, "%d", gs_add(h->low, gs_mul((gs_s64)i - 1, h->interval)));
	if (i > middle)
		return gs_number_text(to, size, "%d", 1LL << (i - middle - 1));
	if (i < middle)
		return gs_number_text(to, size, "%d", gs_sub(0, gs_shl(1, middle - 1 - i)));
	return GS_LIT("0");
}

/* See histRange() in consumer/hist.go. */
static void gs_hist_range(struct gs_drawing *d)
{
	int i;

	while (d->first < d->n - 1 && !d->buckets[d->first])
		d->first++;
	while (d->last > d->first && !d->buckets[d->last])
		d->last--;
	for (i = 0; i < 2; i++) {
		if (d->first && (d->h->linear || d->first != d->n / 2))
			d->first--;
		if (d->last < d->n - 1)
			d->last++;
	}
	if (d->h->linear && !d->first && !d->buckets[0])
		d->first++;
	if (d->h->linear && d->last == d->n - 1 && !d->buckets[d->last])
		d->last--;
}

static int gs_empty_around(const struct gs_drawing *d, gs_u32 i)
{
	gs_s64 reach = d->h->near < d->n ? d->h->near : d->n;
	gs_s64 k = (gs_s64)i - reach, end = (gs_s64)i + reach;

	for (k = k > 0 ? k : 0; k <= end && k < d->n; k++)
		if (d->buckets[k])
			return 0;
	return 1;
}

static void gs_hist_measure(struct gs_drawing *d)
{
	gs_s64 highest = 0;
	char buf[32];
	gs_u32 i;

	d->label_width = sizeof("value") - 1;
	for (i = d->first; i <= d->last; i++) {
		gs_s64 width = gs_hist_label(d, i, buf, sizeof(buf)).len;

		d->label_width = width > d->label_width ? width : d->label_width;
		highest = d->buckets[i] > highest ? d->buckets[i] : highest;
	}
	d->count_width = gs_number_text(buf, sizeof(buf), "%d", highest).len;
	d->per_mark = highest / GS_HIST_WIDTH + (highest % GS_HIST_WIDTH != 0);
	d->per_mark = d->per_mark ? d->per_mark : 1;
}

static void gs_hist_row(struct gs_page *p, const struct gs_drawing *d, gs_u32 i)
{
	gs_s64 count = d->buckets[i], marks = count > 0 ? count / d->per_mark : 0;
	char buf[32];

	gs_page_text(p, d->label_width, gs_hist_label(d, i, buf, sizeof(buf)));
	gs_page_text(p, 0, GS_LIT(" |"));
	gs_page_fill(p, '@', marks);
	gs_page_fill(p, ' ', GS_HIST_WIDTH - marks + 1);
	gs_page_text(p, d->count_width, gs_number_text(buf, sizeof(buf), "%d", count));
	gs_page_text(p, 0, GS_LIT("\n"));
}

struct gs_str gs_sprint_hist(char *to, gs_size size, const struct gs_hist *h, const gs_s64 *buckets, gs_u32 n)
{
	struct gs_drawing d = { .h = h, .buckets = buckets, .n = n, .last = n - 1 };
	struct gs_page p = { .to = to, .size = size };
	int elided = 0;
	gs_u32 i;

	gs_hist_range(&d);
	gs_hist_measure(&d);
	gs_page_text(&p, d.label_width, GS_LIT("value"));
	gs_page_text(&p, 0, GS_LIT(" |"));
	gs_page_fill(&p, '-', GS_HIST_WIDTH);
	gs_page_text(&p, 0, GS_LIT(" count\n"));
	for (i = d.first; i <= d.last; i++) {
		if (h->near >= 0 && gs_empty_around(&d, i)) {
			elided = 1;
			continue;
		}
		if (elided)
			gs_page_text(&p, d.label_width + 3, GS_LIT("~\n"));
		elided = 0;
		gs_hist_row(&p, &d, i);
	}
	gs_page_text(&p, 0, h->newline ? GS_LIT("\n\n") : GS_LIT("\n"));
	return (struct gs_str){ to, p.len };
}
