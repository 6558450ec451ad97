// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uprobe.c - registers the consumers of uprobes. The kernel puts a breakpoint
 * into the file's page of each process that has it mapped, and of those that
 * map it later.
 */
#include <linux/slab.h>

#include "uprobe.h"

#if GS_HAVE_UPROBE_NOSYNC
static int gs_uprobe_register(struct gs_uprobe *u, struct inode *inode)
{
	u->uprobe = uprobe_register(inode, u->hit.point->offset, u->hit.point->refcounter, &u->consumer);
	return PTR_ERR_OR_ZERO(u->uprobe);
}

static void gs_uprobe_unregister(struct gs_uprobe *u)
{
	uprobe_unregister_nosync(u->uprobe, &u->consumer);
}

/* Afterwards none of the handlers of those that were unregistered runs. */
static void gs_uprobes_wait(void)
{
	uprobe_unregister_sync();
}
#else
static int gs_uprobe_register(struct gs_uprobe *u, struct inode *inode)
{
	return uprobe_register_refctr(inode, u->hit.point->offset, u->hit.point->refcounter, &u->consumer);
}

static void gs_uprobe_unregister(struct gs_uprobe *u)
{
	uprobe_unregister(gs_program_inode(u->hit.point->image), u->hit.point->offset, &u->consumer);
}

static void gs_uprobes_wait(void)
{
}
#endif

/* Arms it or disarms it, if need be. 0 or -errno. */
static int gs_uprobe_set(struct gs_uprobe *u, bool wanted)
{
	struct inode *inode = gs_program_inode(u->hit.point->image);
	int err = 0;

	if (wanted && !u->armed)
		err = inode ? gs_uprobe_register(u, inode) : -ENOENT;
	else if (!wanted && u->armed)
		gs_uprobe_unregister(u);
	if (!err)
		u->armed = wanted;
	return err;
}

/**
 * gs_uprobes_arm() - arms points
 * @all: the family's, none yet
 * @points: n of them; those that the kernel refuses go to gs_unarmed()
 * @prepare: sets a consumer's handlers
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 * Return: 0, or -ENOMEM.
 */
int gs_uprobes_arm(struct gs_uprobes *all, const struct gs_point **points, u32 n, void (*prepare)(struct gs_uprobe *u))
{
	const struct gs_probe *probe;
	struct gs_uprobe *u;
	u32 i;
	int err;

	lockdep_assert_held(&gs_session_mutex);
	all->list = kvcalloc(n, sizeof(*all->list), GFP_KERNEL);
	if (!all->list)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		u = kzalloc(sizeof(*u), GFP_KERNEL);
		if (!u)
			return -ENOMEM;
		probe = &gs_program.probes[points[i]->probe];
		u->hit = gs_hit_of(points[i]);
		u->touch = probe->touch;
		u->touch_entry = probe->touch_entry;
		gs_init_slot(&u->entry, points[i]->probe, probe->entry);
		prepare(u);
		err = gs_uprobe_set(u, gs_wanted(u->hit.slot));
		if (!err) {
			all->list[all->n++] = u;
			continue;
		}
		kfree(u);
		if (err == -ENOMEM)
			return err;
		gs_unarmed(points[i], err);
	}
	return 0;
}

/* Arms and disarms as conditions say now. Context: as for gs_uprobes_arm(). */
void gs_uprobes_follow(struct gs_uprobes *all)
{
	u32 i;
	int err;

	lockdep_assert_held(&gs_session_mutex);
	for (i = 0; i < all->n; i++) {
		err = gs_uprobe_set(all->list[i], gs_wanted(all->list[i]->hit.slot));
		if (err)
			gs_unarmed(all->list[i]->hit.point, err);
	}
	gs_uprobes_wait();
}

/* Disarms all. Afterwards no handler runs. Context: as for gs_uprobes_arm(). */
void gs_uprobes_disarm(struct gs_uprobes *all)
{
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	for (i = 0; i < all->n; i++)
		gs_uprobe_set(all->list[i], false);
	if (all->n)
		gs_uprobes_wait();
	while (all->n)
		kfree(all->list[--all->n]);
	kvfree(all->list);
	all->list = NULL;
}
