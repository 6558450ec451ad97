// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * grouping.c - which functions form a group, and which of them are armed by themselves.
 */
#include <linux/slab.h>
#include <linux/sort.h>

#include "group.h"

static int gs_compare_points(const void *x, const void *y)
{
	const struct gs_point *a = *(const struct gs_point **)x, *b = *(const struct gs_point **)y;
	u64 m = gs_point_addr(a), n = gs_point_addr(b);

	if (m != n)
		return m < n ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Orders sites by the handlers that run there. */
static int gs_compare_probes(const struct gs_groups *all, const struct gs_site *a, const struct gs_site *b)
{
	u32 i;

	for (i = 0; i < min(a->n, b->n); i++) {
		u32 p = all->points[a->first + i]->probe, q = all->points[b->first + i]->probe;

		if (p != q)
			return p < q ? -1 : 1;
	}
	return a->n < b->n ? -1 : a->n > b->n;
}

static int gs_compare_sites(const void *x, const void *y, const void *all)
{
	const struct gs_site *a = x, *b = y;

	return gs_compare_probes(all, a, b) ?: a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* The sites of the points, in the order in which groups want them; n is how many. */
static int gs_make_sites(struct gs_groups *all, const struct gs_point **points, u32 npoints, u32 *n)
{
	u32 i;

	all->npoints = npoints;
	all->points = kvcalloc(npoints, sizeof(*all->points), GFP_KERNEL);
	all->sites = kvcalloc(npoints, sizeof(*all->sites), GFP_KERNEL);
	if (!all->points || !all->sites)
		return -ENOMEM;
	memcpy(all->points, points, npoints * sizeof(*points));
	sort(all->points, npoints, sizeof(*points), gs_compare_points, NULL);
	*n = 0;
	for (i = 0; i < npoints; i++) {
		u64 addr = gs_point_addr(all->points[i]);

		if (!addr) {
			gs_unarmed(all->points[i], -ENOENT);
			continue;
		}
		if (!*n || all->sites[*n - 1].addr != addr)
			all->sites[(*n)++] = (struct gs_site){ .addr = addr, .first = i };
		all->sites[*n - 1].n++;
	}
	sort_r(all->sites, *n, sizeof(*all->sites), gs_compare_sites, NULL, all);
	return 0;
}

static int gs_make_group(struct gs_groups *all, struct gs_site *sites, u32 n)
{
	struct gs_group *g = kzalloc(struct_size(g, hits, sites->n), GFP_KERNEL);
	u32 i;

	if (!g)
		return -ENOMEM;
	/* While the ops is registered, ftrace can't be switched off. */
	g->ops.flags = GS_OPS_FLAGS | FTRACE_OPS_FL_PERMANENT;
	g->of = all;
	g->sites = sites;
	g->nsites = n;
	g->nhits = sites->n;
	for (i = 0; i < g->nhits; i++) {
		g->hits[i] = gs_hit_of(all->points[sites->first + i]);
		if (n > 1)
			gs_shared[g->hits[i].point - gs_program.points] = g;
	}
	list_add_tail(&g->list, &all->list);
	return 0;
}

/**
 * gs_make_groups() - makes groups of the functions at which the same handlers run
 * @all: the family's groups, of which there are none yet
 * @points: the family's points; those without an address go to gs_unarmed()
 * @npoints: how many they are
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 * Return: 0, or -ENOMEM.
 */
int gs_make_groups(struct gs_groups *all, const struct gs_point **points, u32 npoints)
{
	u32 i, first, n;
	int err = gs_make_sites(all, points, npoints, &n);

	lockdep_assert_held(&gs_session_mutex);
	for (first = 0; !err && first < n; first = i) {
		for (i = first + 1; i < n && i - first < GS_GROUP_MAX; i++)
			if (gs_compare_probes(all, &all->sites[first], &all->sites[i]))
				break;
		err = gs_make_group(all, &all->sites[first], i - first);
	}
	return err;
}

/**
 * gs_site_at() - the function of a group that an address is in
 * @g: the group
 * @ip: the address of the ftrace site, at or a little behind the function's start
 *
 * Context: Any.
 * Return: The site with the greatest address up to @ip.
 */
struct gs_site *gs_site_at(const struct gs_group *g, u64 ip)
{
	u32 low = 0, high = g->nsites;

	while (high - low > 1) {
		u32 middle = (low + high) / 2;

		if (g->sites[middle].addr <= ip)
			low = middle;
		else
			high = middle;
	}
	return &g->sites[low];
}

/**
 * gs_arm_alone() - arms the points of a function one by one, without the group's ops
 * @g: the function's group
 * @addr: its address
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 * Return: 0, or -ENOMEM.
 */
int gs_arm_alone(struct gs_group *g, u64 addr)
{
	const struct gs_groups *all = g->of;
	struct gs_site *site = gs_site_at(g, addr);
	int err = 0;
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	if (site->alone)
		return 0;
	site->alone = true;
	for (i = 0; i < site->n && !err; i++)
		err = all->how->alone(all->points[site->first + i], all->npoints);
	return err;
}
