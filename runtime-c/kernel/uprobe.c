// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uprobe.c - registers uprobe consumers. The kernel puts a breakpoint into
 * each process that has the file mapped, and into those that map it later.
 */
#include <linux/slab.h>

#include "uprobe.h"

#if GS_HAVE_UPROBE_NOSYNC
static int gs_uprobe_register(struct gs_uprobe *u, struct inode *inode)
{
	u->uprobe = uprobe_register(inode, u->offset, u->hit.point->refcounter, &u->consumer);
	return PTR_ERR_OR_ZERO(u->uprobe);
}

static void gs_uprobe_unregister(struct gs_uprobe *u)
{
	uprobe_unregister_nosync(u->uprobe, &u->consumer);
}

/* When it returns, no handler of an unregistered consumer runs. */
static void gs_uprobes_wait(void)
{
	uprobe_unregister_sync();
}
#else
static int gs_uprobe_register(struct gs_uprobe *u, struct inode *inode)
{
	return uprobe_register_refctr(inode, u->offset, u->hit.point->refcounter, &u->consumer);
}

static void gs_uprobe_unregister(struct gs_uprobe *u)
{
	uprobe_unregister(gs_program_inode(u->hit.point->image), u->offset, &u->consumer);
}

static void gs_uprobes_wait(void)
{
}
#endif

/* Arms or disarms a probe, by its condition. 0 or -errno. */
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

/* Allocates n probes. 0 or -ENOMEM. Context: as for gs_uprobe_arm(). */
int gs_uprobes_init(struct gs_uprobes *all, u32 n)
{
	all->list = kvcalloc(n, sizeof(*all->list), GFP_KERNEL);
	return all->list ? 0 : -ENOMEM;
}

/**
 * gs_uprobe_arm() - arms an instruction
 * @all: the family's
 * @p: the point; if the kernel refuses it, it goes to gs_unarmed()
 * @offset: of the instruction, in the file of the point's image
 * @prepare: sets the consumer's handlers
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 * Return: 0, or -ENOMEM.
 */
int gs_uprobe_arm(struct gs_uprobes *all, const struct gs_point *p, u64 offset, void (*prepare)(struct gs_uprobe *u))
{
	const struct gs_probe *probe = &gs_program.probes[p->probe];
	struct gs_uprobe *u = kzalloc(sizeof(*u), GFP_KERNEL);
	int err;

	lockdep_assert_held(&gs_session_mutex);
	if (!u)
		return -ENOMEM;
	u->hit = gs_hit_of(p);
	u->offset = offset;
	u->touch = probe->touch;
	u->touch_entry = probe->touch_entry;
	gs_init_slot(&u->entry, p->probe, probe->entry);
	prepare(u);
	err = gs_uprobe_set(u, gs_wanted(u->hit.slot));
	if (!err) {
		all->list[all->n++] = u;
		return 0;
	}
	kfree(u);
	if (err == -ENOMEM)
		return err;
	gs_unarmed(p, err);
	return 0;
}

/* Arms and disarms probes by their conditions. Context: as for gs_uprobes_arm(). */
void gs_uprobes_update(struct gs_uprobes *all)
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

/* Disarms all probes. When it returns, no handler runs. Context: as for gs_uprobes_arm(). */
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
