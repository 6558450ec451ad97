// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * function.c - function entry through ftrace. All functions at which the same
 * handlers run form a group, with one ftrace_ops: a hit needs no look-up, and
 * ten thousand functions are attached in one call. A function without ftrace
 * site gets kprobes.
 */
#include <linux/ftrace.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "../dispatch.h"

/* A probed address, and its points: gs_function_points[first .. first + n). */
struct gs_site {
	u64 addr;
	u32 first, n;
};

struct gs_group {
	struct ftrace_ops ops;
	struct gs_site *sites;		/* by address */
	u32 nsites;
	bool armed;
	struct list_head list;
	u32 nhits;
	struct gs_hit hits[];		/* their points are those of sites[0], and stand for all */
};

static const struct gs_point **gs_function_points;	/* by address, then as they are written */
static struct gs_site *gs_sites;			/* each group's together */
static LIST_HEAD(gs_groups);
static const struct gs_group **gs_shared;		/* by point: the group in whose name it stands for others */

static void gs_function_hit(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	gs_run(container_of(ops, struct gs_group, ops)->hits, &arch_ftrace_regs(fregs)->regs, ip, true);
}

/* Where several handlers run, and on Xen. */
static void gs_function_hits(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct gs_group *g = container_of(ops, struct gs_group, ops);
	u32 i;

	for (i = 0; i < g->nhits; i++)
		gs_run(&g->hits[i], &arch_ftrace_regs(fregs)->regs, ip, false);
}

static int gs_compare_points(const void *x, const void *y)
{
	const struct gs_point *a = *(const struct gs_point **)x, *b = *(const struct gs_point **)y;
	u64 m = gs_point_addr(a), n = gs_point_addr(b);

	if (m != n)
		return m < n ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* By what is to run there. */
static int gs_compare_probes(const struct gs_site *a, const struct gs_site *b)
{
	u32 i;

	for (i = 0; i < min(a->n, b->n); i++) {
		u32 p = gs_function_points[a->first + i]->probe, q = gs_function_points[b->first + i]->probe;

		if (p != q)
			return p < q ? -1 : 1;
	}
	return a->n < b->n ? -1 : a->n > b->n;
}

static int gs_compare_sites(const void *x, const void *y)
{
	const struct gs_site *a = x, *b = y;

	return gs_compare_probes(a, b) ?: a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* The sites of the points, in the order in which groups want them; n is how many. */
static int gs_make_sites(const struct gs_point **points, u32 npoints, u32 *n)
{
	u32 i;

	gs_function_points = kvcalloc(npoints, sizeof(*gs_function_points), GFP_KERNEL);
	gs_sites = kvcalloc(npoints, sizeof(*gs_sites), GFP_KERNEL);
	gs_shared = kvcalloc(gs_program.npoints, sizeof(*gs_shared), GFP_KERNEL);
	if (!gs_function_points || !gs_sites || !gs_shared)
		return -ENOMEM;
	memcpy(gs_function_points, points, npoints * sizeof(*points));
	sort(gs_function_points, npoints, sizeof(*points), gs_compare_points, NULL);
	*n = 0;
	for (i = 0; i < npoints; i++) {
		u64 addr = gs_point_addr(gs_function_points[i]);

		if (!addr) {
			gs_unarmed(gs_function_points[i], -ENOENT);
			continue;
		}
		if (!*n || gs_sites[*n - 1].addr != addr)
			gs_sites[(*n)++] = (struct gs_site){ .addr = addr, .first = i };
		gs_sites[*n - 1].n++;
	}
	sort(gs_sites, *n, sizeof(*gs_sites), gs_compare_sites, NULL);
	return 0;
}

static struct gs_group *gs_make_group(struct gs_site *sites, u32 n)
{
	struct gs_group *g = kzalloc(struct_size(g, hits, sites->n), GFP_KERNEL);
	u32 i;

	if (!g)
		return NULL;
	g->sites = sites;
	g->nsites = n;
	g->nhits = sites->n;
	g->ops.func = g->nhits == 1 && !boot_cpu_has(X86_FEATURE_XENPV) ? gs_function_hit : gs_function_hits;
	for (i = 0; i < g->nhits; i++) {
		g->hits[i] = gs_hit_of(gs_function_points[sites->first + i]);
		if (n > 1)
			gs_shared[g->hits[i].point - gs_program.points] = g;
		if (gs_program.probes[g->hits[i].point->probe].flags & GS_PROBE_REGISTERS)
			g->ops.flags |= FTRACE_OPS_FL_SAVE_REGS;
	}
	list_add_tail(&g->list, &gs_groups);
	return g;
}

static int gs_arm_by_kprobes(const struct gs_site *s)
{
	int err = 0;
	u32 i;

	for (i = 0; i < s->n && !err; i++)
		err = gs_kprobe_arm(gs_function_points[s->first + i]);
	return err;
}

/*
 * Has ftrace call the group at these sites; found counts those that it knows.
 * A call is all or nothing, so where it fails its halves are tried.
 */
static int gs_filter(struct gs_group *g, unsigned long *ips, u32 from, u32 n, u32 *found)
{
	int err = ftrace_set_filter_ips(&g->ops, ips + from, n, 0, 0);

	if (!err) {
		*found += n;
		return 0;
	}
	if (err == -ENOMEM)
		return err;
	if (n == 1)
		return gs_arm_by_kprobes(&g->sites[from]);
	return gs_filter(g, ips, from, n / 2, found) ?: gs_filter(g, ips, from + n / 2, n - n / 2, found);
}

static int gs_arm_group(struct gs_group *g)
{
	unsigned long *ips = kvcalloc(g->nsites, sizeof(*ips), GFP_KERNEL);
	u32 i, found = 0;
	int err;

	if (!ips)
		return -ENOMEM;
	for (i = 0; i < g->nsites; i++)
		ips[i] = g->sites[i].addr;
	err = gs_filter(g, ips, 0, g->nsites, &found);
	kvfree(ips);
	/* No filter at all would mean every function. */
	if (err || !found)
		return err;
	err = register_ftrace_function(&g->ops);
	g->armed = !err;
	for (i = 0; err && err != -ENOMEM && i < g->nsites; i++)
		if (gs_arm_by_kprobes(&g->sites[i]))
			return -ENOMEM;
	return err == -ENOMEM ? err : 0;
}

static int gs_functions_arm(const struct gs_point **points, u32 npoints)
{
	u32 i, first, n;
	int err = gs_make_sites(points, npoints, &n);

	for (first = 0; !err && first < n; first = i) {
		struct gs_group *g;

		for (i = first + 1; i < n && !gs_compare_probes(&gs_sites[first], &gs_sites[i]); i++)
			;
		g = gs_make_group(&gs_sites[first], i - first);
		err = g ? gs_arm_group(g) : -ENOMEM;
	}
	return err;
}

static void gs_functions_disarm(void)
{
	struct gs_group *g;

	list_for_each_entry(g, &gs_groups, list)
		if (g->armed)
			unregister_ftrace_function(&g->ops);
	while ((g = list_first_entry_or_null(&gs_groups, struct gs_group, list))) {
		list_del(&g->list);
		ftrace_free_filter(&g->ops);
		kfree(g);
	}
	kvfree(gs_shared);
	kvfree(gs_sites);
	kvfree(gs_function_points);
	gs_shared = NULL;
	gs_sites = NULL;
	gs_function_points = NULL;
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

const struct gs_point *gs_function_point(const struct gs_point *p, u64 ip)
{
	const struct gs_group *g = gs_shared ? gs_shared[p - gs_program.points] : NULL;
	u32 i = 0;

	if (!g)
		return p;
	while (g->hits[i].point != p)
		i++;
	return gs_function_points[gs_site_at(g, ip)->first + i];
}

static const struct gs_family gs_family_function = {
	.name = "function", .arm = gs_functions_arm, .disarm = gs_functions_disarm,
};
