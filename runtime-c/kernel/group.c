// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * group.c - arms and disarms groups of functions, by ftrace.
 */
#include <linux/slab.h>
#include <linux/sort.h>

#include "group.h"

static const struct gs_grouping *gs_hosts;

static int gs_arm_all_alone(struct gs_group *g)
{
	int err = 0;
	u32 i;

	for (i = 0; i < g->nsites && !err; i++)
		err = gs_arm_alone(g, g->sites[i].addr);
	return err;
}

static int gs_arm_excluded(struct gs_group *g)
{
	int err = 0;
	u32 i;

	for (i = 0; g->of->how->excludes && i < g->nsites && !err; i++)
		if (g->of->how->excludes(g->sites[i].addr))
			err = gs_arm_alone(g, g->sites[i].addr);
	return err;
}

/* Adds functions to the group's filter. ftrace takes all of them or none, so after a failure each half is tried. */
static int gs_filter(struct gs_group *g, unsigned long *ips, u32 n)
{
	int err = ftrace_set_filter_ips(&g->ops, ips, n, 0, 0);

	if (!err) {
		g->filtered = true;
		return 0;
	}
	if (err == -ENOMEM)
		return err;
	if (n == 1)
		return gs_arm_alone(g, *ips);
	return gs_filter(g, ips, n / 2) ?: gs_filter(g, ips + n / 2, n - n / 2);
}

static int gs_filter_group(struct gs_group *g)
{
	unsigned long *ips = kvcalloc(g->nsites, sizeof(*ips), GFP_KERNEL);
	u32 i, n = 0;
	int err = 0;

	if (!ips)
		return -ENOMEM;
	for (i = 0; i < g->nsites; i++)
		if (!g->sites[i].alone)
			ips[n++] = g->sites[i].addr;
	if (n)
		err = gs_filter(g, ips, n);
	kvfree(ips);
	return err;
}

/* Is any of its probes to be armed? */
static bool gs_group_wanted(const struct gs_group *g)
{
	u32 i;

	for (i = 0; i < g->nhits; i++)
		if (gs_wanted(g->hits[i].slot))
			return true;
	return false;
}

/* Do they have the same functions, and does ftrace know all of them? */
static bool gs_same_sites(const struct gs_group *a, const struct gs_group *b)
{
	u32 i;

	if (a->nsites != b->nsites)
		return false;
	for (i = 0; i < a->nsites; i++)
		if (a->sites[i].addr != b->sites[i].addr || a->sites[i].alone || b->sites[i].alone)
			return false;
	return true;
}

static struct gs_groups *gs_groups_of(const struct gs_grouping *how, u32 image)
{
	struct gs_groups *all;

	list_for_each_entry(all, &how->images, link)
		if (all->image == image)
			return all;
	return NULL;
}

/*
 * If another family's group or joint has the same functions, one ftrace_ops
 * serves both: with two ops on a function, ftrace searches the filters of both
 * at each hit, and takes twice as long to attach and to detach.
 */
static void gs_ride(struct gs_group *g)
{
	const struct gs_groups *hosts = gs_hosts ? gs_groups_of(gs_hosts, g->of->image) : NULL;
	struct gs_group *h;

	if (!hosts || (g->ops.flags & FTRACE_OPS_FL_SAVE_REGS) || gs_has_condition(g))
		return;
	list_for_each_entry(h, &hosts->list, list) {
		if (!h->armed || h->rider || gs_has_condition(h) || !gs_same_sites(g, h))
			continue;
		g->host = h;
		/* Release: who reads the pointer sees the group's handlers. */
		smp_store_release(&h->rider, g);
		return;
	}
	if (hosts->joints[0])
		gs_ride_joint(hosts->joints[0], g);
}

static void gs_unarmed_group(const struct gs_group *g, int err)
{
	u32 i;

	for (i = 0; i < g->nsites * g->nhits; i++)
		gs_unarmed(g->of->points[g->sites[i / g->nhits].first + i % g->nhits], err);
}

static int gs_arm_group(struct gs_group *g)
{
	int err = g->of->how->make(g);

	if (err == -ENOMEM)
		return err;
	if (err)
		return gs_arm_all_alone(g);
	g->made = true;
	err = gs_arm_excluded(g);
	gs_ride(g);
	return err;
}

static int gs_register_group(struct gs_group *g)
{
	int err;

	if (!g->made || g->host || g->joint)
		return 0;
	err = gs_filter_group(g);
	/* An empty filter would mean every function. */
	if (err || !g->filtered || !gs_group_wanted(g))
		return err;
	err = register_ftrace_function(&g->ops);
	g->armed = !err;
	if (!err || err == -ENOMEM)
		return err;
	g->filtered = false;
	if (err != -EBUSY)
		return gs_arm_all_alone(g);
	/* ftrace is off, and kprobes at functions would not be hit either. */
	gs_unarmed_group(g, err);
	return 0;
}

static int gs_compare_images(const void *x, const void *y)
{
	const struct gs_point *a = *(const struct gs_point **)x, *b = *(const struct gs_point **)y;

	return a->image < b->image ? -1 : a->image > b->image;
}

/* Arms the points that are in an image. */
static int gs_arm_image(struct gs_grouping *how, u32 image, const struct gs_point **points, u32 npoints)
{
	struct gs_groups *all = kzalloc(sizeof(*all), GFP_KERNEL);
	struct gs_group *g;
	int err;

	if (!all)
		return -ENOMEM;
	all->how = how;
	all->image = image;
	INIT_LIST_HEAD(&all->list);
	list_add_tail(&all->link, &how->images);
	err = gs_make_groups(all, points, npoints);
	if (!err && how->prepare)
		how->prepare(all);
	list_for_each_entry(g, &all->list, list)
		err = err ?: gs_arm_group(g);
	if (!err)
		gs_join_groups(all);
	list_for_each_entry(g, &all->list, list)
		err = err ?: gs_register_group(g);
	return err;
}

/**
 * gs_groups_arm() - makes groups of functions, and arms them
 * @how: the family's; of the images that these points are in, there are no groups yet
 * @points: the family's points; those that can't be armed go to gs_unarmed()
 * @npoints: how many they are
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 * Return: 0, or -ENOMEM: the groups are to be disarmed.
 */
int gs_groups_arm(struct gs_grouping *how, const struct gs_point **points, u32 npoints)
{
	u32 i, first;
	int err = 0;

	lockdep_assert_held(&gs_session_mutex);
	if (how->hosts)
		gs_hosts = how;
	sort(points, npoints, sizeof(*points), gs_compare_images, NULL);
	for (first = 0; !err && first < npoints; first = i) {
		for (i = first + 1; i < npoints && points[i]->image == points[first]->image; i++)
			;
		err = gs_arm_image(how, points[first]->image, points + first, i - first);
	}
	return err;
}

static void gs_update_image(struct gs_groups *all)
{
	struct gs_group *g;

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
 * gs_groups_update() - arms and disarms groups whose conditions have changed
 * @how: the family's
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_groups_update(struct gs_grouping *how)
{
	struct gs_groups *all;

	lockdep_assert_held(&gs_session_mutex);
	list_for_each_entry(all, &how->images, link)
		gs_update_image(all);
}

static void gs_disarm_image(struct gs_groups *all)
{
	struct gs_group *g;

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
 * gs_groups_disarm() - disarms groups: afterwards none of their handlers runs
 * @how: the family's; the groups' memory stays until gs_groups_free()
 * @image: whose groups; another family's groups in it that ride on them are disarmed, too
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_groups_disarm(struct gs_grouping *how, u32 image)
{
	struct gs_groups *all;

	lockdep_assert_held(&gs_session_mutex);
	list_for_each_entry(all, &how->images, link)
		if (gs_image_is(all->image, image))
			gs_disarm_image(all);
}

static void gs_free_image(struct gs_groups *all)
{
	struct gs_group *g;
	u32 i;

	while ((g = list_first_entry_or_null(&all->list, struct gs_group, list))) {
		for (i = 0; i < g->nhits; i++)
			gs_shared[g->hits[i].point - gs_program.points] = NULL;
		list_del(&g->list);
		ftrace_free_filter(&g->ops);
		kfree(g);
	}
	gs_free_joints(all);
	kvfree(all->sites);
	kvfree(all->points);
	list_del(&all->link);
	kfree(all->own);
	kfree(all);
}

/**
 * gs_groups_free() - frees groups that are disarmed
 * @how: the family's
 * @image: whose groups
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_groups_free(struct gs_grouping *how, u32 image)
{
	struct gs_groups *all, *next;

	lockdep_assert_held(&gs_session_mutex);
	list_for_each_entry_safe(all, next, &how->images, link)
		if (gs_image_is(all->image, image))
			gs_free_image(all);
}

/* The point that was hit, of those that share the handler. */
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
