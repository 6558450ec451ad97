// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uprobe.c - instructions of programs and libraries: functions' entries,
 * statements, SDT marks. Handlers have the registers of user space.
 */
#include "../uprobe.h"

static int gs_uprobe_hit(struct uprobe_consumer *consumer, struct pt_regs *regs GS_UPROBE_DATA)
{
	struct gs_uprobe *u = container_of(consumer, struct gs_uprobe, consumer);

	if (unlikely(!gs_uprobe_concerns(u)))
		return 0;
	if (u->touch)
		u->touch((struct gs_regs *)regs, regs->ip);
	gs_run(&u->hit, regs, regs->ip, false);
	return 0;
}

static struct gs_uprobes gs_user_entries;

static void gs_user_entry(struct gs_uprobe *u)
{
	u->consumer.handler = gs_uprobe_hit;
}

static int gs_user_entries_arm(const struct gs_point **points, u32 n)
{
	int err = gs_uprobes_init(&gs_user_entries, n);
	u32 i;

	for (i = 0; i < n && !err; i++)
		err = gs_uprobe_arm(&gs_user_entries, points[i], points[i]->offset, gs_user_entry);
	return err;
}

static void gs_user_entries_update(void)
{
	gs_uprobes_update(&gs_user_entries);
}

static void gs_user_entries_disarm(void)
{
	gs_uprobes_disarm(&gs_user_entries);
}

static const struct gs_family gs_family_uprobe = {
	.name = "uprobe", .arm = gs_user_entries_arm, .update = gs_user_entries_update, .disarm = gs_user_entries_disarm,
};
