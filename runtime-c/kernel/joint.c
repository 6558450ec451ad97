// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * joint.c - one ftrace_ops for many groups. For each ftrace_ops that is
 * registered, ftrace looks at all functions of the kernel, and for each that is
 * unregistered it waits for all tasks: with hundreds of groups that takes
 * minutes. With a joint, each hit costs a look-up of its group instead.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "group.h"

/* A function's ftrace site is in its first so many bytes, in which no other function begins. */
#define GS_JOINT_ALIGN 16

struct gs_joint_entry {
	u64 addr;			/* of a function; 0: the entry is free */
	struct gs_group *group;
	struct gs_group *rider;		/* another family's group with the same function; it is called first */
};

struct gs_joint {
	struct ftrace_ops ops;
	bool armed;
	u32 nfunctions;			/* in the filter of ops */
	u32 bits;			/* the number of entries is 1 << bits */
	struct gs_joint_entry *entries;
};

static u32 gs_joint_index(const struct gs_joint *j, u64 addr)
{
	return hash_64(addr / GS_JOINT_ALIGN, j->bits);
}

/* At most half of the entries are in use, so the search ends. */
static struct gs_joint_entry *gs_joint_find(const struct gs_joint *j, u64 addr)
{
	u32 i = gs_joint_index(j, addr);

	while (j->entries[i].addr && j->entries[i].addr != addr)
		i = (i + 1) & ((1U << j->bits) - 1);
	return &j->entries[i];
}

/* Not inlined: without a rider no register has to be saved for a second call. */
static noinline void gs_joint_hit_ridden(const struct gs_joint_entry *e, struct gs_group *rider, unsigned long ip, unsigned long parent,
					 struct ftrace_regs *fregs)
{
	rider->ops.func(ip, parent, &rider->ops, fregs);
	e->group->ops.func(ip, parent, &e->group->ops, fregs);
}

static void gs_joint_hit(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	const struct gs_joint *j = container_of(ops, struct gs_joint, ops);
	const struct gs_joint_entry *e = gs_joint_find(j, ip & ~(u64)(GS_JOINT_ALIGN - 1));
	struct gs_group *g = e->group, *rider = READ_ONCE(e->rider);

	if (unlikely(rider))
		gs_joint_hit_ridden(e, rider, ip, parent, fregs);
	else if (g)
		g->ops.func(ip, parent, &g->ops, fregs);
}

/* May the group be called through a joint? */
static bool gs_joinable(const struct gs_group *g)
{
	u32 i;

	for (i = 0; i < g->nsites; i++)
		if (g->sites[i].addr % GS_JOINT_ALIGN)
			return false;
	return !gs_has_condition(g);
}

static bool gs_joins(const struct gs_group *g, unsigned long flags)
{
	return g->made && !g->host && !g->joint && !((g->ops.flags ^ flags) & FTRACE_OPS_FL_SAVE_REGS) && gs_joinable(g);
}

static void gs_free_joint(struct gs_joint *j)
{
	if (!j)
		return;
	ftrace_free_filter(&j->ops);
	kvfree(j->entries);
	kfree(j);
}

/* A joint for n functions; NULL: there is no memory. */
static struct gs_joint *gs_make_joint(unsigned long flags, u32 n)
{
	struct gs_joint *j = kzalloc(sizeof(*j), GFP_KERNEL);

	if (!j)
		return NULL;
	j->ops.flags = flags;
	j->ops.func = gs_joint_hit;
	j->bits = ilog2(roundup_pow_of_two(2 * n));
	j->entries = kvcalloc(1U << j->bits, sizeof(*j->entries), GFP_KERNEL);
	if (!j->entries) {
		kfree(j);
		return NULL;
	}
	return j;
}

/*
 * Adds functions to the joint's filter. ftrace takes all of them or none, so
 * after a failure each half is tried.
 */
static int gs_filter_joint(struct gs_joint *j, unsigned long *ips, u32 n)
{
	int err = ftrace_set_filter_ips(&j->ops, ips, n, 0, 0);

	if (!err)
		j->nfunctions += n;
	if (!err || err == -ENOMEM)
		return err;
	if (n == 1)
		return gs_arm_alone(xchg(&gs_joint_find(j, *ips)->group, NULL), *ips);
	return gs_filter_joint(j, ips, n / 2) ?: gs_filter_joint(j, ips + n / 2, n - n / 2);
}

/* Enters the functions of the groups that join, at most n. */
static int gs_fill_joint(struct gs_groups *all, struct gs_joint *j, u32 n)
{
	unsigned long *ips = kvcalloc(n, sizeof(*ips), GFP_KERNEL);
	struct gs_group *g;
	int err = 0;
	u32 i;

	if (!ips)
		return -ENOMEM;
	n = 0;
	list_for_each_entry(g, &all->list, list)
		for (i = 0; gs_joins(g, j->ops.flags) && i < g->nsites; i++) {
			if (g->sites[i].alone)
				continue;
			*gs_joint_find(j, g->sites[i].addr) = (struct gs_joint_entry){ g->sites[i].addr, g, NULL };
			ips[n++] = g->sites[i].addr;
		}
	if (n)
		err = gs_filter_joint(j, ips, n);
	kvfree(ips);
	return err;
}

/* The number of groups with these flags that may be joined, and of their functions. */
static u32 gs_count_joining(struct gs_groups *all, unsigned long flags, u32 *nsites)
{
	struct gs_group *g;
	u32 n = 0;

	*nsites = 0;
	list_for_each_entry(g, &all->list, list)
		if (gs_joins(g, flags)) {
			n++;
			*nsites += g->nsites;
		}
	return n;
}

/* Joins the groups with these flags that may be joined, if there are enough. */
static void gs_join(struct gs_groups *all, unsigned long flags, struct gs_joint **joint)
{
	struct gs_joint *j;
	struct gs_group *g;
	u32 n;

	if (gs_count_joining(all, flags, &n) < all->how->join_min || n > GS_GROUP_MAX)
		return;
	j = gs_make_joint(flags, n);
	/* An empty filter would mean every function. */
	if (!j || gs_fill_joint(all, j, n) || !j->nfunctions || register_ftrace_function(&j->ops)) {
		gs_free_joint(j);
		return;
	}
	*joint = j;
	j->armed = true;
	list_for_each_entry(g, &all->list, list)
		if (gs_joins(g, flags)) {
			g->joint = j;
			g->armed = true;
		}
}

/**
 * gs_join_groups() - makes groups share ftrace_ops, if there are many groups
 * @all: the family's groups; without memory they stay unjoined
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_join_groups(struct gs_groups *all)
{
	const unsigned long flags = GS_OPS_FLAGS | FTRACE_OPS_FL_PERMANENT;

	lockdep_assert_held(&gs_session_mutex);
	gs_join(all, flags & ~FTRACE_OPS_FL_SAVE_REGS, &all->joints[0]);
	gs_join(all, flags | FTRACE_OPS_FL_SAVE_REGS, &all->joints[1]);
}

/**
 * gs_ride_joint() - makes a joint call a group of another family, too
 * @j: an armed joint
 * @g: a group without condition, of which no function has been registered
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 * Return: false if the joint doesn't have all of the group's functions.
 */
bool gs_ride_joint(struct gs_joint *j, struct gs_group *g)
{
	const struct gs_joint_entry *e;
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	for (i = 0; i < g->nsites; i++) {
		e = gs_joint_find(j, g->sites[i].addr);
		if (!e->group || e->rider)
			return false;
	}
	g->joint = j;
	/* Release: who reads the pointer sees the group's handlers. */
	for (i = 0; i < g->nsites; i++)
		smp_store_release(&gs_joint_find(j, g->sites[i].addr)->rider, g);
	return true;
}

/**
 * gs_disarm_joint() - ends the hits of all groups that a joint calls
 * @j: a joint, which may be disarmed already
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_disarm_joint(struct gs_joint *j)
{
	lockdep_assert_held(&gs_session_mutex);
	if (j->armed)
		unregister_ftrace_function(&j->ops);
	j->armed = false;
}

/**
 * gs_free_joints() - frees joints that are disarmed
 * @all: the family's groups
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 */
void gs_free_joints(struct gs_groups *all)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all->joints); i++) {
		gs_free_joint(all->joints[i]);
		all->joints[i] = NULL;
	}
}
