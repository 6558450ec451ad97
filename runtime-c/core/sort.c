// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sort.c - merge sort on links: stable, in place, n log n, no recursion.
 */
#include "gostap.h"

#define GS_LINK(n, link) (*(struct gs_node **)((char *)(n) + (link)))

static struct gs_node *gs_merge(struct gs_node *a, struct gs_node *b, gs_size link, gs_node_cmp cmp)
{
	struct gs_node *first = NULL, *last = NULL;

	while (a || b) {
		struct gs_node *n;

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
struct gs_node *gs_sort(struct gs_node *first, gs_size link, gs_node_cmp cmp)
{
	struct gs_node *runs[32] = { NULL };
	struct gs_node *sorted = NULL;
	int i;

	while (first) {
		struct gs_node *run = first;

		first = GS_LINK(first, link);
		GS_LINK(run, link) = NULL;
		for (i = 0; runs[i]; i++) {
			run = gs_merge(runs[i], run, link, cmp);
			runs[i] = NULL;
		}
		runs[i] = run;
	}
	for (i = 0; i < 32; i++)
		if (runs[i])
			sorted = gs_merge(runs[i], sorted, link, cmp);
	return sorted;
}

static gs_s64 gs_by_stamp(const struct gs_node *a, const struct gs_node *b)
{
	return (gs_s64)(a->stamp - b->stamp);
}

void gs_map_sort_stamps(struct gs_map *m)
{
	struct gs_node *n, *prev = &m->order;

	m->order.prev->next = NULL;
	n = gs_sort(m->order.next == &m->order ? NULL : m->order.next, __builtin_offsetof(struct gs_node, next),
		    gs_by_stamp);
	for (; n; n = n->next) {
		prev->next = n;
		n->prev = prev;
		prev = n;
	}
	prev->next = &m->order;
	m->order.prev = prev;
}
