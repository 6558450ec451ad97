// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack.c - stacks of the kernel, by the kernel's own unwinder, and symbols of
 * addresses, by kallsyms. Both may be called in any context, as for oopses and
 * for profiling in NMIs: they take no lock and check every address.
 */
#include <linux/kallsyms.h>
#include <linux/sched/task_stack.h>
#include <asm/irq_regs.h>
#include <asm/unwind.h>

#include "internal.h"

int gs_is_return(struct gs_ctx *c)
{
	return !c->entering && (gs_family_of(c->point)->flags & GS_FAMILY_RETURN);
}

gs_u64 gs_probe_addr(struct gs_ctx *c)
{
	const struct gs_point *p = gs_point_of(c);

	if (!(gs_family_of(p)->flags & GS_FAMILY_EVENT) && p->symbol != GS_NO_SYMBOL)
		return gs_point_addr(p);
	return c->ip ?: c->regs ? c->regs->ip : 0;
}

/* The start if the point has no registers: the interrupted code, else the caller of the runtime. */
static struct pt_regs *gs_stack_regs(struct gs_ctx *c)
{
	return c->regs ? (struct pt_regs *)c->regs : in_hardirq() ? get_irq_regs() : NULL;
}

#ifdef CONFIG_UNWINDER_ORC
/*
 * The unwinder takes some 400 instructions for a frame, and most stacks have
 * been unwound before, so they are cached. The code determines how large a frame
 * is: if the innermost address is the same, and the return addresses are found
 * at the same offsets as before, the stack is the same. Frames of varying size
 * are rare. One is that of the system call's entry, of random size; after it
 * comes only the last frame, which is at a fixed place at the stack's base.
 */
static struct gs_known_stack *gs_known_stack(struct gs_cpu *me, u64 ip, u64 sp)
{
	if (sp - (u64)task_stack_page(current) > THREAD_SIZE - sizeof(u64))
		return NULL;
	return &me->known[(ip ^ READ_ONCE_NOCHECK(*(u64 *)sp) >> 2) % GS_KNOWN_STACKS];
}

/* The number of addresses, in k->addrs, if the stack is the cached one; else 0. */
static u32 gs_recall_stack(const struct gs_known_stack *k, u64 ip, u64 sp)
{
	u64 page = (u64)task_stack_page(current);
	u32 i;

	if (k->ip != ip || sp + k->at[k->n - 1] > page + k->last)
		return 0;
	for (i = 0; i < k->n - 1; i++)
		if (READ_ONCE_NOCHECK(*(u64 *)(sp + k->at[i])) != k->addrs[i])
			return 0;
	return READ_ONCE_NOCHECK(*(u64 *)(page + k->last)) == k->addrs[i] ? k->n : 0;
}

/* Caches a frame; false if it is not a call's frame on the task's stack. */
static bool gs_note_frame(struct gs_known_stack *k, const struct unwind_state *state, u64 addr, u64 sp)
{
	u64 at = state->sp - sizeof(u64), place = at - (u64)task_stack_page(current);

	if (k->n == GS_KNOWN_DEPTH || state->regs || at < sp || place > THREAD_SIZE - sizeof(u64) ||
	    READ_ONCE_NOCHECK(*(u64 *)at) != addr)
		return false;
	k->last = place;
	k->at[k->n] = at - sp;
	k->addrs[k->n++] = addr;
	return true;
}

/* Has the stack been unwound to the kernel's entry? */
static bool gs_stack_complete(const struct unwind_state *state)
{
	return !state->error && state->regs && user_mode(state->regs);
}
#else
static struct gs_known_stack *gs_known_stack(struct gs_cpu *me, u64 ip, u64 sp)
{
	return NULL;
}

static u32 gs_recall_stack(const struct gs_known_stack *k, u64 ip, u64 sp)
{
	return 0;
}

static bool gs_note_frame(struct gs_known_stack *k, const struct unwind_state *state, u64 addr, u64 sp)
{
	return false;
}

static bool gs_stack_complete(const struct unwind_state *state)
{
	return false;
}
#endif

/* The callers of the address in the registers, at most max. */
static u32 gs_unwind(u64 *to, u32 max, struct pt_regs *regs, struct gs_known_stack *k)
{
	bool noting = k != NULL;
	struct unwind_state state;
	u32 n = 0;

	for (unwind_start(&state, current, regs, NULL); n < max && !unwind_done(&state); unwind_next_frame(&state)) {
		unsigned long addr = unwind_get_return_address(&state);

		if (!addr)
			break;
		/* Without registers the unwinder starts in this function. */
		if (!regs && !n && within_module(addr, THIS_MODULE))
			continue;
		noting = noting && gs_note_frame(k, &state, addr, regs->sp);
		to[n++] = addr;
	}
	if (k && (!noting || !n || n == max || !gs_stack_complete(&state)))
		k->ip = 0;
	return n;
}

/* The same for a probe's registers, from the cache if possible. */
static u32 gs_callers(struct gs_cpu *me, u64 *to, u32 max, struct pt_regs *regs)
{
	struct gs_known_stack *k = gs_known_stack(me, regs->ip, regs->sp);
	u32 n = k ? min(gs_recall_stack(k, regs->ip, regs->sp), max) : 0;

	if (n) {
		memcpy(to, k->addrs, n * sizeof(*to));
		return n;
	}
	if (k) {
		k->ip = regs->ip;
		k->n = 0;
	}
	return gs_unwind(to, max, regs, k);
}

const gs_u64 *gs_stack(struct gs_ctx *c, gs_u32 max, gs_u32 *n)
{
	struct gs_cpu *me = container_of(c, struct gs_cpu, ctx);
	struct pt_regs *regs = gs_stack_regs(c);
	bool returns = gs_is_return(c);
	u64 *to = me->stack;
	unsigned long ip;
	u32 got = 0;

	*n = 0;
	max = min_t(u32, max, GS_STACK_DEPTH);
	if (regs && user_mode(regs))
		return to;
	/* The unwinder's first address is that of the caller, so the probed address is put before. */
	if (c->regs)
		to[got++] = gs_probe_addr(c);
	if (regs && (returns || !c->regs))
		to[got++] = regs->ip;
	if (got >= max) {
		*n = max;
		return to;
	}
	if (!c->regs) {
		*n = got + gs_unwind(to + got, max - got, regs, NULL);
		return to;
	}
	/* The unwinder needs the address of the probed instruction, not that behind an int3 or ftrace's call. */
	ip = regs->ip;
	if (c->ip && !returns)
		regs->ip = c->ip;
	*n = got + gs_callers(me, to + got, max - got, regs);
	regs->ip = ip;
	return to;
}

/* Parses the output of sprint_symbol(): "vfs_read+0x0/0x310", perhaps with " [module]"; "0x12" without a symbol. */
void gs_find_symbol(struct gs_ctx *c, gs_u64 addr, struct gs_symbol *to)
{
	char *text = container_of(c, struct gs_cpu, ctx)->symbol, *plus, *at, *end;

	*to = (struct gs_symbol){ .name = GS_LIT(""), .module = GS_LIT("") };
	sprint_symbol(text, addr);
	plus = strchr(text, '+');
	if (!plus)
		return;
	to->name = (struct gs_str){ text, plus - text };
	at = plus + 1;
	to->offset = simple_strtoull(at, &at, 16);
	if (*at == '/')
		to->size = simple_strtoull(at + 1, &at, 16);
	end = *at == ' ' ? strchr(at, ']') : NULL;
	if (end)
		to->module = (struct gs_str){ at + 2, end - at - 2 };
}
