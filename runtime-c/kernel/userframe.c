// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userframe.c - what is mapped at addresses of programs: in the current process,
 * or where an address of a stack was when it became text. A profile is printed
 * when its program has ended, or in another's context.
 */
#include <linux/hash.h>
#include <linux/mm.h>

#include "userimage.h"

#define GS_NOTED_BITS 13
#define GS_NOTED_BUSY 1

/* A handler that finds an entry taken replaces it, unless another one just does. */
struct gs_noted_frame {
	u64 addr; /* GS_NOTED_BUSY while the place is written */
	u64 place; /* the image, and the offset in the low 32 bits */
};

static struct gs_noted_frame *gs_noted;

int gs_noted_init(void)
{
	if (!gs_program.user_stacks)
		return 0;
	gs_noted = kvcalloc(1 << GS_NOTED_BITS, sizeof(*gs_noted), GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	return gs_noted ? 0 : -ENOMEM;
}

/* No handler runs any more. */
void gs_noted_free(void)
{
	kvfree(gs_noted);
}

void gs_note_frames(const struct gs_frame *frames, gs_u32 n)
{
	u32 i;

	for (i = 0; i < n && gs_noted; i++) {
		struct gs_noted_frame *e = &gs_noted[hash_64(frames[i].addr, GS_NOTED_BITS)];
		u32 image = frames[i].image & ~GS_FRAME_CALL;
		u64 place = (u64)image << 32 | frames[i].offset;
		u64 old = READ_ONCE(e->addr);

		if (image == GS_NO_IMAGE || (old == frames[i].addr && READ_ONCE(e->place) == place))
			continue;
		if (old == GS_NOTED_BUSY || cmpxchg(&e->addr, old, GS_NOTED_BUSY) != old)
			continue;
		WRITE_ONCE(e->place, place);
		smp_wmb(); /* pairs with gs_noted_frame() */
		WRITE_ONCE(e->addr, frames[i].addr);
	}
}

static bool gs_noted_frame(u64 addr, struct gs_frame *to)
{
	const struct gs_noted_frame *e = gs_noted ? &gs_noted[hash_64(addr, GS_NOTED_BITS)] : NULL;
	u64 place;

	if (addr <= GS_NOTED_BUSY || !e || READ_ONCE(e->addr) != addr)
		return false;
	smp_rmb(); /* pairs with gs_note_frames() */
	place = READ_ONCE(e->place);
	smp_rmb(); /* pairs with gs_note_frames() */
	if (READ_ONCE(e->addr) != addr)
		return false;
	*to = (struct gs_frame){ .addr = addr, .image = place >> 32, .offset = (u32)place };
	return true;
}

/* In the consumer, where begin and end probes run, nobody means its own addresses. */
int gs_find_frame(struct gs_ctx *c, gs_u64 addr, struct gs_frame *to)
{
	struct gs_mapping m = { .image = GS_NO_IMAGE };
	bool found = false;

	if (current->tgid == gs_starter && gs_noted_frame(addr, to))
		return true;
	if (gs_user_regs(c) && gs_lock_mm(c, current->mm)) {
		found = gs_map(&m, current->mm, addr);
		gs_unlock_mm(c, current->mm);
	}
	if (m.image == GS_NO_IMAGE && gs_noted_frame(addr, to))
		return true;
	*to = (struct gs_frame){ .addr = addr, .image = m.image, .offset = addr - m.start + m.offset };
	return found;
}
