// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sort.c - merge sort on links: stable, in place, n log n, no recursion.
 */
#include "gostap.h"

#define GS_LINK(n, link) (*(struct gs_node **)((char *)(n) + (link)))

static struct gs_node *gs_merge(struct gs_ctx *c, struct gs_node *a, struct gs_node *b, gs_size link, gs_node_cmp cmp)
{
	struct gs_node *first = NULL, *last = NULL;
	gs_u32 done = 0;

	while (a || b) {
		struct gs_node *n;

		if (!(++done & 1023))
			gs_give_way(c);
		if (!b || (a && cmp(a, b) <= 0)) {
			n = a;
			a = GS_LINK(a, link);
		} else {
			n = b;
			b = GS_LINK(b, link);
		}
		if (last)
			GS_LINK(last, link) = n;
		else
			first = n;
		last = n;
	}
	if (last)
		GS_LINK(last, link) = NULL;
	return first;
}

/*
 * runs[i] is a sorted chain of 2^i nodes or empty: adding a node is adding
 * one to a binary number. Chains of higher numbers hold earlier nodes.
 */
static struct gs_node *gs_sort_chain(struct gs_ctx *c, struct gs_node *first, gs_size link, gs_node_cmp cmp)
{
	struct gs_node *runs[32] = { NULL };
	struct gs_node *sorted = NULL;
	gs_u32 done = 0;
	int i;

	while (first) {
		struct gs_node *run = first;

		if (!(++done & 1023))
			gs_give_way(c);
		first = GS_LINK(first, link);
		GS_LINK(run, link) = NULL;
		for (i = 0; runs[i]; i++) {
			run = gs_merge(c, runs[i], run, link, cmp);
			runs[i] = NULL;
		}
		runs[i] = run;
	}
	for (i = 0; i < 32; i++)
		if (runs[i])
			sorted = gs_merge(c, runs[i], sorted, link, cmp);
	return sorted;
}

struct gs_node *gs_sort(struct gs_ctx *c, struct gs_node *first, gs_u64 n, gs_size link, gs_node_cmp cmp,
			const char *near)
{
	if (!gs_work(c, n * (1 + gs_log2(n)), near))
		return NULL;
	return gs_sort_chain(c, first, link, cmp);
}

/* Cuts a chain, which is not empty, after its first n nodes; returns the last of them, or NULL if there are fewer. */
static struct gs_node *gs_cut(struct gs_node *first, gs_u64 n, gs_size link)
{
	while (first && --n)
		first = GS_LINK(first, link);
	if (first)
		GS_LINK(first, link) = NULL;
	return first;
}

/*
 * The first `limit` nodes so far are kept sorted. A node that is not before the
 * last of these is skipped; others are collected, and merged with them when there
 * are `limit` of them.
 */
struct gs_node *gs_sort_first(struct gs_ctx *c, struct gs_node *first, gs_u64 n, gs_s64 limit, gs_size link,
			      gs_node_cmp cmp, const char *near)
{
	struct gs_node *best = NULL, *worst = NULL, *found = NULL, **end = &found;
	gs_u64 k = limit, nfound = 0, done = 0;

	if (limit <= 0)
		return NULL;
	if (k > n / 4) {
		best = gs_sort(c, first, n, link, cmp, near);
		gs_cut(best, k, link);
		return best;
	}
	if (!gs_work(c, n, near))
		return NULL;
	while (first) {
		struct gs_node *next = GS_LINK(first, link);

		if (!(++done & 1023))
			gs_give_way(c);
		if (!worst || cmp(first, worst) < 0) {
			*end = first;
			end = &GS_LINK(first, link);
			nfound++;
		}
		first = next;
		if (nfound < k && (first || !nfound))
			continue;
		*end = NULL;
		found = gs_sort(c, found, nfound + k, link, cmp, near);
		if (!found)
			return NULL;
		best = gs_merge(c, best, found, link, cmp);
		worst = gs_cut(best, k, link);
		found = NULL;
		end = &found;
		nfound = 0;
	}
	return best;
}

static gs_s64 gs_by_stamp(const struct gs_node *a, const struct gs_node *b)
{
	return (gs_s64)(a->stamp - b->stamp);
}

void gs_map_sort_stamps(struct gs_ctx *c, struct gs_map *m)
{
	struct gs_node *n, *prev = &m->order;

	m->order.prev->next = NULL;
	n = gs_sort_chain(c, m->order.next == &m->order ? NULL : m->order.next, __builtin_offsetof(struct gs_node, next),
			  gs_by_stamp);
	for (; n; n = n->next) {
		prev->next = n;
		n->prev = prev;
		prev = n;
	}
	prev->next = &m->order;
	m->order.prev = prev;
}
