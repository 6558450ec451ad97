// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userknown.c - a cache of unwound stacks of programs. To unwind a stack takes
 * some 600 instructions for a frame, and most stacks occur again and again. The
 * result depends on some registers at the hit, words of the stack, the process's
 * mappings and the tables of its images: if all of them are the same as before,
 * so is the stack. Values that point into the stack are stored relative to the
 * stack pointer, so that the same calls are recognised at any address.
 */
#include <linux/sched.h>

#include "useraccess.h"
#include "userstack.h"

u64 gs_known_ustacks_size(void)
{
	return gs_program.user_stacks ? sizeof(struct gs_known_ustacks) : 0;
}

/* Without memory for the cache, each stack is unwound. */
void gs_known_ustacks_init(int cpu)
{
	if (gs_program.user_stacks)
		per_cpu_ptr(gs_cpus, cpu)->known_ustacks = gs_alloc(gs_known_ustacks_size(), cpu);
}

/* Makes a value relative to the stack pointer if it may be an address of the stack. */
static u64 gs_ustack_relative(const struct gs_unwinder *u, u64 value)
{
	return value ? value - u->sp : 0;
}

/*
 * The address space counts TLB flushes, of which unmapping code that has run causes
 * one.
 */
static struct gs_ustack_key gs_ustack_key(const struct gs_unwinder *u)
{
	return (struct gs_ustack_key){
		.mm = u->mm,
		.started = current->group_leader->start_time,
		.executed = current->self_exec_id,
		.unmapped = atomic64_read(&u->mm->context.tlb_gen),
		.tables = gs_tables_so_far(),
		.ip = u->ip,
		.called = u->called,
	};
}

static bool gs_same_key(const struct gs_ustack_key *a, const struct gs_ustack_key *b)
{
	return !((u64)a->mm ^ (u64)b->mm | a->started ^ b->started | a->executed ^ b->executed |
		 a->unmapped ^ b->unmapped | a->tables ^ b->tables | a->ip ^ b->ip | a->called ^ b->called);
}

/* The cache entry for a stack that begins like this; NULL: there is no cache. */
struct gs_known_ustack *gs_known_ustack(struct gs_unwinder *u)
{
	struct gs_known_ustacks *all = container_of(u->c, struct gs_cpu, ctx)->known_ustacks;
	u64 innermost;

	if (!all || u->sp & 7 || !gs_load_user(u->c, &innermost, u->sp, sizeof(innermost)))
		return NULL;
	return &all->stacks[((u->ip ^ innermost) * GOLDEN_RATIO_64 >> 32) % GS_KNOWN_USTACKS];
}

/* Are the words of the stack unchanged, in an address space that is loaded? */
static __always_inline bool gs_words_stand(const struct gs_unwinder *u, const struct gs_known_ustack *k)
{
	u64 sp = u->sp, value;
	u32 i;

	__uaccess_begin_nospec();
	for (i = 0; i < k->nreturns; i++) {
		if (sp + k->returns[i].at > TASK_SIZE_MAX - sizeof(value))
			goto other;
		unsafe_get_user(value, (u64 __user *)(sp + k->returns[i].at), other);
		if (value != k->returns[i].value)
			goto other;
	}
	for (i = 0; i < k->nsaved; i++) {
		if (sp + k->saved[i].at > TASK_SIZE_MAX - sizeof(value))
			goto other;
		unsafe_get_user(value, (u64 __user *)(sp + k->saved[i].at), other);
		if ((value ? value - sp : 0) != k->saved[i].value)
			goto other;
	}
	__uaccess_end();
	return true;
other:
	__uaccess_end();
	return false;
}

/* The same, if the address space may not be loaded. */
static noinline bool gs_words_stand_anywhere(const struct gs_unwinder *u, const struct gs_known_ustack *k)
{
	u64 value;
	u32 i;

	for (i = 0; i < k->nreturns; i++)
		if (!gs_load_user(u->c, &value, u->sp + k->returns[i].at, sizeof(value)) ||
		    value != k->returns[i].value)
			return false;
	for (i = 0; i < k->nsaved; i++)
		if (!gs_load_user(u->c, &value, u->sp + k->saved[i].at, sizeof(value)) ||
		    gs_ustack_relative(u, value) != k->saved[i].value)
			return false;
	return true;
}

/* Is the stack, up to max frames, the cached one? */
bool gs_recall_ustack(const struct gs_unwinder *u, const struct gs_known_ustack *k, u32 max)
{
	struct gs_ustack_key key = gs_ustack_key(u);
	unsigned long registers = k->registers;
	bool same;
	u32 reg;

	if (!gs_same_key(&key, &k->key) || !k->complete && k->n < max)
		return false;
	for_each_set_bit(reg, &registers, GS_NREGS)
		if (gs_ustack_relative(u, u->value[reg]) != k->value[reg])
			return false;
	if (!gs_hit_in_user(u->c))
		return gs_words_stand_anywhere(u, k);
	pagefault_disable();
	same = gs_words_stand(u, k);
	pagefault_enable();
	return same;
}

/* Starts to record the stack in the cache; the key is read before the stack. */
void gs_note_ustack(struct gs_unwinder *u, struct gs_known_ustack *k)
{
	k->key = gs_ustack_key(u);
	k->n = k->nreturns = k->nsaved = k->registers = 0;
	u->noted = k;
}

/* Stops recording: the stack can't be cached. */
void gs_note_nothing(struct gs_unwinder *u)
{
	if (u->noted)
		u->noted->key.mm = NULL;
	u->noted = NULL;
}

/* Records that a register's value is used. */
void gs_note_register(struct gs_unwinder *u, u8 reg)
{
	struct gs_known_ustack *k = u->noted;

	if (!k || !(u->unchanged & 1 << reg) || reg == GS_RSP)
		return;
	k->registers |= 1 << reg;
	k->value[reg] = gs_ustack_relative(u, u->value[reg]);
}

/* Records a return address that was read. */
void gs_note_return(struct gs_unwinder *u, u64 at, u64 value)
{
	struct gs_known_ustack *k = u->noted;

	if (!k)
		return;
	if (k->nreturns == GS_KNOWN_UDEPTH)
		gs_note_nothing(u);
	else
		k->returns[k->nreturns++] = (struct gs_ustack_word){ at - u->sp, value };
}

/* Records another word that was read. */
void gs_note_saved(struct gs_unwinder *u, u64 at, u64 value)
{
	struct gs_known_ustack *k = u->noted;

	if (!k)
		return;
	if (k->nsaved == GS_KNOWN_UDEPTH)
		gs_note_nothing(u);
	else
		k->saved[k->nsaved++] = (struct gs_ustack_word){ at - u->sp, gs_ustack_relative(u, value) };
}

/* Completes the entry; a stack with an error is not cached, as the next attempt may succeed. */
void gs_ustack_noted(struct gs_unwinder *u, const struct gs_frame *frames, u32 n, u32 flags, bool complete)
{
	struct gs_known_ustack *k = u->noted;

	if (!k)
		return;
	if (n > GS_KNOWN_UDEPTH || flags & GS_USTACK_FAULT) {
		gs_note_nothing(u);
		return;
	}
	memcpy(k->frames, frames, n * sizeof(*frames));
	k->n = n;
	k->flags = flags;
	k->complete = complete;
}
