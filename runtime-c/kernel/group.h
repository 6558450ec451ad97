/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.h - functions that are probed by ftrace. All functions at which the same
 * handlers run form a group, with one ftrace_ops: a hit needs no look-up, and
 * ten thousand functions are attached in one call. If there are many groups,
 * they share an ftrace_ops: joint.c.
 */
#ifndef GS_GROUP_H
#define GS_GROUP_H

#include <linux/ftrace.h>

#include "dispatch.h"

/* A probed address, and its points: gs_groups.points[first .. first + n). */
struct gs_site {
	u64 addr;
	u32 first, n;
	bool alone;			/* it has no ftrace site, or the family excludes it: its points are armed one by one */
};

struct gs_group {
	struct ftrace_ops ops;
	struct gs_groups *of;
	void *own;			/* data of the family's */
	struct gs_site *sites;		/* by address */
	u32 nsites;
	bool made;			/* ftrace is to call it */
	bool filtered;			/* ops' filter has functions */
	bool armed;			/* its functions are hit: by its own ops, or by the joint's */
	struct gs_joint *joint;		/* calls the group; NULL: its own ops are registered */
	struct gs_group *rider;		/* another family's group, called with this one by the family's `func` */
	struct gs_group *host;		/* the group whose rider this one is */
	struct list_head list;
	u32 nhits;
	struct gs_hit hits[];		/* their points are those of sites[0], for all of the sites */
};

/* What a family does with its groups. The functions are called in tasks that may sleep and hold gs_session_mutex. */
struct gs_grouping {
	/* Called when an image's groups have been made and are about to be armed; may be NULL. */
	void (*prepare)(struct gs_groups *all);
	/* Fills in ops and own. 0, -ENOMEM, or another error, after which `alone` gets the group's points. */
	int (*make)(struct gs_group *g);
	/* Arms a point without an ftrace site: 0 or -ENOMEM. n points share the family's memory. */
	int (*alone)(const struct gs_point *p, u32 n);
	/* Must this function's points be alone, though ftrace has a site for it? NULL: none need. */
	bool (*excludes)(u64 addr);
	bool hosts;			/* groups may have riders; armed before those are */
	u32 join_min;			/* from this number on, groups share an ftrace_ops; fewer have one each */
	struct list_head images;	/* of struct gs_groups */
};

/* A family's groups in one image, the kernel or a module: a module's are freed when it is unloaded. */
struct gs_groups {
	const struct gs_grouping *how;
	u32 image;			/* index into gs_program.images */
	struct list_head link;		/* in how->images */
	void *own;			/* data of the family's, or NULL; freed with the groups */
	struct list_head list;		/* of struct gs_group */
	const struct gs_point **points;	/* by address, then as they are written */
	struct gs_site *sites;		/* each group's together */
	u32 npoints;
	struct gs_joint *joints[2];	/* of groups with and without FTRACE_OPS_FL_SAVE_REGS; NULL: none */
};

static inline bool gs_has_condition(const struct gs_group *g)
{
	u32 i;

	for (i = 0; i < g->nhits; i++)
		if (gs_program.probes[g->hits[i].point->probe].cond)
			return true;
	return false;
}

/* grouping.c. */
struct gs_site *gs_site_at(const struct gs_group *g, u64 ip);
int gs_arm_alone(struct gs_group *g, u64 addr);
int gs_make_groups(struct gs_groups *all, const struct gs_point **points, u32 npoints);

/* joint.c. Called in tasks that may sleep and hold gs_session_mutex. */
void gs_join_groups(struct gs_groups *all);
bool gs_ride_joint(struct gs_joint *j, struct gs_group *g);
void gs_disarm_joint(struct gs_joint *j);
void gs_free_joints(struct gs_groups *all);

/* group.c. image is an index into gs_program.images, or GS_ALL_IMAGES. */
int gs_groups_arm(struct gs_grouping *how, const struct gs_point **points, u32 npoints);
void gs_groups_update(struct gs_grouping *how);
void gs_groups_disarm(struct gs_grouping *how, u32 image);
void gs_groups_free(struct gs_grouping *how, u32 image);

#endif
