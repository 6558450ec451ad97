// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * group.c - making groups of functions, and having ftrace call them.
 */
#include <linux/slab.h>
#include <linux/sort.h>

#include "group.h"

static const struct gs_groups *gs_hosts;

static int gs_compare_points(const void *x, const void *y)
{
	const struct gs_point *a = *(const struct gs_point **)x, *b = *(const struct gs_point **)y;
	u64 m = gs_point_addr(a), n = gs_point_addr(b);

	if (m != n)
		return m < n ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* By what is to run there. */
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
	/* While it is registered, ftrace can't be switched off behind our back. */
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

/* Groups of the sites at which the same handlers run. */
static int gs_make_groups(struct gs_groups *all, const struct gs_point **points, u32 npoints)
{
	u32 i, first, n;
	int err = gs_make_sites(all, points, npoints, &n);

	for (first = 0; !err && first < n; first = i) {
		for (i = first + 1; i < n && i - first < GS_GROUP_MAX; i++)
			if (gs_compare_probes(all, &all->sites[first], &all->sites[i]))
				break;
		err = gs_make_group(all, &all->sites[first], i - first);
	}
	return err;
}

static int gs_arm_alone(const struct gs_group *g, u32 from, u32 n)
{
	const struct gs_groups *all = g->of;
	int err = 0;
	u32 i, j;

	for (i = from; i < from + n && !err; i++)
		for (j = 0; j < g->nhits && !err; j++)
			err = all->alone(all->points[g->sites[i].first + j], all->npoints);
	return err;
}

static bool gs_excludes(const struct gs_group *g, u32 from, u32 n)
{
	u32 i;

	for (i = from; i < from + n; i++)
		if (g->of->excludes && g->of->excludes(g->sites[i].addr))
			return true;
	return false;
}

/*
 * Has ftrace call the group at these sites. A call is all or nothing, so where
 * it fails its halves are tried.
 */
static int gs_filter(struct gs_group *g, unsigned long *ips, u32 from, u32 n)
{
	int err = gs_excludes(g, from, n) ? -EINVAL : ftrace_set_filter_ips(&g->ops, ips + from, n, 0, 0);

	if (!err) {
		g->filtered = true;
		return 0;
	}
	if (err == -ENOMEM)
		return err;
	g->whole = false;
	if (n == 1)
		return gs_arm_alone(g, from, 1);
	return gs_filter(g, ips, from, n / 2) ?: gs_filter(g, ips, from + n / 2, n - n / 2);
}

static int gs_filter_group(struct gs_group *g)
{
	unsigned long *ips = kvcalloc(g->nsites, sizeof(*ips), GFP_KERNEL);
	int err;
	u32 i;

	if (!ips)
		return -ENOMEM;
	for (i = 0; i < g->nsites; i++)
		ips[i] = g->sites[i].addr;
	g->whole = true;
	err = gs_filter(g, ips, 0, g->nsites);
	kvfree(ips);
	return err;
}

/* Does any of its handlers want to run? */
static bool gs_group_wanted(const struct gs_group *g)
{
	u32 i;

	for (i = 0; i < g->nhits; i++)
		if (gs_wanted(g->hits[i].slot))
			return true;
	return false;
}

static bool gs_same_sites(const struct gs_group *a, const struct gs_group *b)
{
	u32 i;

	for (i = 0; i < a->nsites; i++)
		if (a->sites[i].addr != b->sites[i].addr)
			return false;
	return true;
}

/*
 * Where another family's group has the same functions, one ftrace_ops serves
 * both: with two of them on a function, ftrace searches both on each hit, and
 * takes twice as long to attach and to detach.
 */
static bool gs_ride(struct gs_group *g)
{
	struct gs_group *h;

	if (!gs_hosts || (g->ops.flags & FTRACE_OPS_FL_SAVE_REGS) || gs_has_condition(g))
		return false;
	list_for_each_entry(h, &gs_hosts->list, list) {
		if (h->nsites != g->nsites || !h->whole || !h->armed || h->rider ||
		    gs_has_condition(h) || !gs_same_sites(g, h))
			continue;
		g->host = h;
		/* Whoever sees it sees its handlers. */
		smp_store_release(&h->rider, g);
		return true;
	}
	return false;
}

static void gs_unarmed_group(const struct gs_group *g, int err)
{
	u32 i;

	for (i = 0; i < g->nsites * g->nhits; i++)
		gs_unarmed(g->of->points[g->sites[i / g->nhits].first + i % g->nhits], err);
}

static int gs_arm_group(struct gs_group *g)
{
	int err = g->of->make(g);

	if (err == -ENOMEM)
		return err;
	if (err)
		return gs_arm_alone(g, 0, g->nsites);
	if (gs_ride(g))
		return 0;
	return gs_filter_group(g);
}

static int gs_register_group(struct gs_group *g)
{
	int err;

	/* No filter at all would mean every function. */
	if (!g->filtered || g->armed || !gs_group_wanted(g))
		return 0;
	err = register_ftrace_function(&g->ops);
	g->armed = !err;
	if (!err || err == -ENOMEM)
		return err;
	g->filtered = false;
	if (err != -EBUSY)
		return gs_arm_alone(g, 0, g->nsites);
	/* ftrace is off, and kprobes at functions would not be hit either. */
	gs_unarmed_group(g, err);
	return 0;
}

/**
 * gs_groups_arm() - makes groups of functions, and has ftrace call them
 * @all: the family's groups, of which there are none yet
 * @points: the family's points; those that can't be armed go to gs_unarmed()
 * @npoints: how many they are
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 * Return: 0, or -ENOMEM.
 */
int gs_groups_arm(struct gs_groups *all, const struct gs_point **points, u32 npoints)
{
	struct gs_group *g;
	int err;

	lockdep_assert_held(&gs_session_mutex);
	err = gs_make_groups(all, points, npoints);
	if (!err && all->prepare)
		all->prepare(all);
	list_for_each_entry(g, &all->list, list)
		err = err ?: gs_arm_group(g);
	if (!err)
		gs_join_groups(all);
	list_for_each_entry(g, &all->list, list)
		err = err ?: gs_register_group(g);
	if (all->hosts)
		gs_hosts = all;
	return err;
}

/**
 * gs_groups_update() - arms and disarms groups whose conditions have changed
 * @all: the family's groups
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_groups_update(struct gs_groups *all)
{
	struct gs_group *g;

	lockdep_assert_held(&gs_session_mutex);
	list_for_each_entry(g, &all->list, list) {
		bool wanted = g->filtered && gs_group_wanted(g);
		int err = 0;

		if (g->joint)
			continue; /* it has no condition */
		if (wanted && !g->armed)
			err = register_ftrace_function(&g->ops);
		else if (!wanted && g->armed)
			err = unregister_ftrace_function(&g->ops);
		if (err)
			gs_unarmed(g->hits[0].point, err);
		else
			g->armed = wanted;
	}
}

/**
 * gs_groups_disarm() - ends the groups' hits: afterwards no handler of theirs runs
 * @all: the family's groups; they and what they own are there until gs_groups_free()
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_groups_disarm(struct gs_groups *all)
{
	struct gs_group *g;

	lockdep_assert_held(&gs_session_mutex);
	list_for_each_entry(g, &all->list, list) {
		/* A rider is called until its host is off. */
		struct gs_group *called = g->host ?: g;

		if (called->joint)
			gs_disarm_joint(called->joint);
		else if (called->armed)
			unregister_ftrace_function(&called->ops);
		called->armed = false;
	}
}

/**
 * gs_groups_free() - frees groups that are disarmed
 * @all: the family's groups
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_groups_free(struct gs_groups *all)
{
	struct gs_group *g;
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	while ((g = list_first_entry_or_null(&all->list, struct gs_group, list))) {
		for (i = 0; i < g->nhits; i++)
			gs_shared[g->hits[i].point - gs_program.points] = NULL;
		list_del(&g->list);
		ftrace_free_filter(&g->ops);
		kfree(g);
	}
	gs_free_joints(all);
	if (gs_hosts == all)
		gs_hosts = NULL;
	kvfree(all->sites);
	kvfree(all->points);
	all->sites = NULL;
	all->points = NULL;
}

/* The site with the greatest address up to ip: a call of ftrace stands a little behind the function's start. */
static const struct gs_site *gs_site_at(const struct gs_group *g, u64 ip)
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

/* The point among those that share the handler's. */
const struct gs_point *gs_point_of(struct gs_ctx *c)
{
	const struct gs_point *p = c->point;
	const struct gs_group *g = gs_shared[p - gs_program.points];
	u32 i = 0;

	if (!g)
		return p;
	while (g->hits[i].point != p)
		i++;
	return g->of->points[gs_site_at(g, c->ip)->first + i];
}
