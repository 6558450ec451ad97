// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usermapped.c - a cache of mappings of code that stacks were unwound through. A
 * handler that interrupts a process while it changes its mappings can't read
 * them. Mappings of code hardly ever change, so cached ones are used, as long as
 * the number of pages of code that the process maps is the same.
 */
#include <linux/hash.h>
#include <linux/sched.h>

#include "userstack.h"

static struct gs_mapped gs_mapped_key(struct mm_struct *mm)
{
	return (struct gs_mapped){
		.mm = mm,
		.started = current->group_leader->start_time,
		.executed = current->self_exec_id,
		.code = READ_ONCE(mm->exec_vm),
	};
}

/* Caches a mapping; mm is locked. */
void gs_note_mapping(struct gs_ctx *c, struct mm_struct *mm, const struct gs_mapping *m)
{
	struct gs_known_ustacks *known = container_of(c, struct gs_cpu, ctx)->known_ustacks;
	struct gs_mapped *to;

	if (!known || !m->code)
		return;
	to = &known->mapped[hash_64(m->start ^ (u64)mm, GS_MAPPED_BITS)];
	*to = gs_mapped_key(mm);
	to->map = *m;
}

/* Finds the cached mapping of an address. False: there is none. */
bool gs_recall_mapping(struct gs_ctx *c, struct mm_struct *mm, u64 addr, struct gs_mapping *m)
{
	struct gs_known_ustacks *known = container_of(c, struct gs_cpu, ctx)->known_ustacks;
	struct gs_mapped key = gs_mapped_key(mm);
	u32 i;

	if (addr - m->start < m->size)
		return true;
	for (i = 0; known && i < ARRAY_SIZE(known->mapped); i++) {
		const struct gs_mapped *s = &known->mapped[i];

		if (addr - s->map.start < s->map.size && s->mm == mm && s->started == key.started &&
		    s->executed == key.executed && s->code == key.code) {
			*m = s->map;
			return true;
		}
	}
	return false;
}
