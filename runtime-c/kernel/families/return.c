// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * return.c - function returns, by kretprobes. One kretprobe serves a whole group
 * of functions: it is registered, but never armed. ftrace calls the group at each
 * function's entry, and there the kretprobe's own pre_handler is called to hook
 * the return, as kprobes would call it for an armed one. Of the registers it
 * needs only the stack pointer, which ftrace always saves. A pre_handler is not
 * part of the kretprobes' interface: in a kernel without it, and for functions
 * without an ftrace site, each point has an armed kretprobe of its own. To
 * allocate a kretprobe's instances takes time, so if there are many groups in an
 * image, they share one kretprobe: the pool.
 *
 * args[0] is the number of calls of a function that may be active at once; 0: a default.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../return.h"

#define GS_MAX_INSTANCES (1 << 16)
#define GS_RETURNS_SHARE 4		/* from this number on, groups share an ftrace_ops, and the pool */
#define GS_POOL_DATA 256		/* bytes of an instance of the pool; groups that save more have a kretprobe of their own */

static LIST_HEAD(gs_returns);
static struct kretprobe **gs_kretprobes;		/* the registered ones, of struct gs_kretprobe */
static u32 gs_nkretprobes;
static u64 gs_returns_full, gs_returns_missed;

/* A limit for the calls of n functions, by memory: each active call has a task, which takes memory, too. */
static u32 gs_default_instances(u32 n)
{
	u32 tasks = 2048 + min(totalram_pages() >> (20 - PAGE_SHIFT), 16384UL);

	return min3(512 + 16 * (n - 1), tasks, 16384u);
}

/* The number of active calls to provide for, of one of n functions: by the script, else by memory. */
static int gs_instances(const struct gs_hit *hits, u32 nhits, u32 n)
{
	s64 most = 0;
	u32 i;

	for (i = 0; i < nhits; i++)
		most = max(most, hits[i].point->args[0]);
	if (!most)
		return gs_default_instances(n);
	return min_t(u64, most * n, GS_MAX_INSTANCES);
}

/* The bytes of an instance's data that these handlers need. */
static size_t gs_return_data(const struct gs_hit *hits, u32 nhits)
{
	size_t n = 1;
	u32 i;

	for (i = 0; i < nhits; i++)
		n += 1 + gs_program.probes[hits[i].point->probe].nsaved;
	return n * sizeof(u64);
}

static struct gs_return *gs_make_return(const struct gs_hit *hits, u32 nhits, u32 nsites)
{
	struct gs_return *r = kzalloc(struct_size(r, hits, nhits), GFP_KERNEL);
	u32 i, at = 1;

	if (!r)
		return NULL;
	r->own.image = hits[0].point->image;
	r->hook = &r->own;
	list_add(&r->list, &gs_returns);
	r->nhits = nhits;
	for (i = 0; i < nhits; i++) {
		const struct gs_probe *probe = &gs_program.probes[hits[i].point->probe];

		r->hits[i] = (struct gs_return_hit){ .hit = hits[i], .at = at };
		gs_init_slot(&r->hits[i].entry, hits[i].point->probe, probe->entry);
		if (!i || r->hits[i].entry.stack_floor > r->deepest->stack_floor)
			r->deepest = &r->hits[i].entry;
		at += 1 + probe->nsaved;
	}
	r->own.rp.handler = gs_return_hits;
	r->own.rp.entry_handler = gs_return_save;
	r->own.rp.data_size = gs_return_data(hits, nhits);
	if (nhits == 1 && nsites == 1 && !r->hits[0].entry.handler) {
		r->own.rp.handler = gs_return_hit;
		r->own.rp.entry_handler = NULL;
		r->own.rp.data_size = 0;
	}
	r->own.rp.maxactive = gs_instances(hits, nhits, nsites);
	return r;
}

static void gs_free_return(struct gs_return *r)
{
	list_del(&r->list);
	kfree(r);
}

static int gs_kretprobe_register(struct gs_kretprobe *h, u64 addr)
{
	int err;

	h->rp.kp.addr = (kprobe_opcode_t *)(unsigned long)addr;
	h->rp.kp.flags = KPROBE_FLAG_DISABLED;
	err = register_kretprobe(&h->rp);
	if (!err)
		gs_kretprobes[gs_nkretprobes++] = &h->rp;
	return err;
}

static void gs_kretprobes_drop(void)
{
	unregister_kretprobe(gs_kretprobes[--gs_nkretprobes]);
}

/* Registers a kretprobe for the functions of a group, at any of them that the kernel accepts. */
static int gs_register_unarmed(struct gs_kretprobe *h, const struct gs_group *g)
{
	int err = -EINVAL;
	u32 i;

	for (i = 0; i < g->nsites && err && err != -ENOMEM; i++)
		err = gs_kretprobe_register(h, g->sites[i].addr);
	if (!err && !h->rp.kp.pre_handler) {
		gs_kretprobes_drop();
		err = -EOPNOTSUPP;
	}
	return err;
}

/* May the group use the pool? Not if the script gives a number of active calls. */
static bool gs_poolable(const struct gs_group *g)
{
	u32 i;

	for (i = 0; i < g->nhits; i++)
		if (g->hits[i].point->args[0])
			return false;
	return gs_return_data(g->hits, g->nhits) <= GS_POOL_DATA;
}

/* Creates the pool, if many groups may use it; without it they have kretprobes of their own. */
static void gs_returns_prepare(struct gs_groups *all)
{
	struct gs_kretprobe *pool;
	u32 ngroups = 0, nsites = 0;
	struct gs_group *g;
	size_t size = 0;

	list_for_each_entry(g, &all->list, list)
		if (gs_poolable(g)) {
			ngroups++;
			nsites += g->nsites;
			size = max(size, gs_return_data(g->hits, g->nhits));
		}
	if (ngroups < GS_RETURNS_SHARE)
		return;
	pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return;
	pool->image = all->image;
	pool->rp.handler = gs_return_hits_pooled;
	pool->rp.entry_handler = gs_return_save_pooled;
	pool->rp.data_size = sizeof(u64) + size;
	pool->rp.maxactive = gs_default_instances(nsites);
	list_for_each_entry(g, &all->list, list) {
		int err = gs_poolable(g) ? gs_register_unarmed(pool, g) : -EINVAL;

		if (!err)
			all->own = pool;
		if (err != -EINVAL)
			break;
	}
	if (!all->own)
		kfree(pool);
}

static int gs_return_make(struct gs_group *g)
{
	struct gs_return *r = gs_make_return(g->hits, g->nhits, g->nsites);
	int err = 0;

	if (!r)
		return -ENOMEM;
	if (g->of->own && gs_poolable(g))
		r->hook = g->of->own;
	else
		err = gs_register_unarmed(&r->own, g);
	if (err) {
		gs_free_return(r);
		return err;
	}
	g->own = r;
	g->ops.func = gs_native() ? gs_return_entered : gs_return_entered_xen;
	return 0;
}

/* 0 or -ENOMEM. If the kernel refuses the point, gs_unarmed() is called. */
static int gs_return_alone(const struct gs_point *p, u32 n)
{
	struct gs_hit hit = gs_hit_of(p);
	struct gs_return *r = gs_make_return(&hit, 1, 1);
	int err;

	if (!r)
		return -ENOMEM;
	r->own.armed = true;
	if (r->own.rp.entry_handler)
		r->own.rp.entry_handler = gs_return_save_alone;
	/* n points share the memory for instances. */
	if (p->args[0] <= 0)
		r->own.rp.maxactive = clamp(32768 / n, 32u, 512u);
	err = gs_kretprobe_register(&r->own, gs_point_addr(p));
	if (!err) {
		err = gs_kprobe_start(&r->own.rp.kp, &hit);
		if (!err)
			return 0;
		gs_kretprobes_drop();
	}
	gs_free_return(r);
	if (err == -ENOMEM)
		return err;
	gs_unarmed(p, err);
	return 0;
}

/*
 * Functions that kretprobes call while they hold a lock that hooking a return
 * takes. The kernel's own check is only made for kretprobes that are hit by kprobes.
 */
static bool gs_return_excludes(u64 addr)
{
	return !GS_KRETPROBES_LOCKLESS && in_lock_functions(addr);
}

static struct gs_grouping gs_return_groups = {
	.prepare = gs_returns_prepare, .make = gs_return_make, .alone = gs_return_alone, .excludes = gs_return_excludes, .hosts = true,
	.join_min = GS_RETURNS_SHARE, .images = LIST_HEAD_INIT(gs_return_groups.images),
};

static int gs_returns_arm(const struct gs_point **points, u32 n)
{
	/* Each image's pool has one, each group, and each point alone. */
	if (!gs_kretprobes)
		gs_kretprobes = kvcalloc(gs_program.nimages + 2 * gs_program.npoints, sizeof(*gs_kretprobes), GFP_KERNEL);
	return gs_kretprobes ? gs_groups_arm(&gs_return_groups, points, n) : -ENOMEM;
}

static void gs_returns_update(void)
{
	struct gs_return *r;

	gs_groups_update(&gs_return_groups);
	list_for_each_entry(r, &gs_returns, list)
		if (r->own.armed)
			gs_kprobe_update(&r->own.rp.kp, &r->hits[0].hit);
}

static struct gs_kretprobe *gs_kretprobe_at(u32 i)
{
	return container_of(gs_kretprobes[i], struct gs_kretprobe, rp);
}

/* Unregisters an image's kretprobes at once, as each call waits for all CPUs. */
static void gs_kretprobes_unregister(u32 image)
{
	u32 i = 0, n = gs_nkretprobes;

	while (i < n)
		if (gs_image_is(gs_kretprobe_at(i)->image, image)) {
			n--;
			swap(gs_kretprobes[i], gs_kretprobes[n]);
		} else {
			i++;
		}
	if (n < gs_nkretprobes)
		unregister_kretprobes(gs_kretprobes + n, gs_nkretprobes - n);
	while (gs_nkretprobes > n) {
		struct gs_kretprobe *h = gs_kretprobe_at(--gs_nkretprobes);

		/* Missed hits of groups are counted where they happen. */
		if (h->armed || !GS_SHOWS_HOOKED)
			gs_returns_full += h->rp.nmissed;
		gs_returns_missed += h->rp.kp.nmissed;
	}
}

static void gs_returns_disarm_in(u32 image)
{
	struct gs_return *r, *next;

	gs_groups_disarm(&gs_return_groups, image);
	gs_kretprobes_unregister(image);
	list_for_each_entry_safe(r, next, &gs_returns, list)
		if (gs_image_is(r->own.image, image))
			gs_free_return(r);
	gs_groups_free(&gs_return_groups, image);
}

static void gs_returns_disarm(void)
{
	gs_returns_disarm_in(GS_ALL_IMAGES);
	kvfree(gs_kretprobes);
	gs_kretprobes = NULL;
}

static void gs_returns_skipped(u64 *skipped)
{
	skipped[GS_SKIP_MAXACTIVE] += READ_ONCE(gs_returns_full);
	skipped[GS_SKIP_BUSY] += READ_ONCE(gs_returns_missed);
}

static const struct gs_family gs_family_return = {
	.name = "return", .flags = GS_FAMILY_RETURN, .arm = gs_returns_arm, .update = gs_returns_update, .disarm = gs_returns_disarm,
	.disarm_module = gs_returns_disarm_in, .missed = gs_returns_skipped,
};
