// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userstack.c - the stack of the current process's own code, by the tables
 * that the owner makes of call frame information, and by frame pointers where
 * there are none. The process's memory may hold anything: each step is
 * bounded, and each access may fail.
 */
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

#include "useraccess.h"
#include "userstack.h"

static const u8 gs_saved_regs[6] = { 3, GS_RBP, 12, 13, 14, 15 };
#define GS_PRESERVED (1 << 3 | 1 << GS_RBP | 1 << GS_RSP | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 15)

static bool gs_word(const struct gs_unwinder *u, u64 addr, u64 *to)
{
	return gs_load_user(u->c, to, addr, sizeof(*to));
}

struct pt_regs *gs_user_regs(struct gs_ctx *c)
{
	struct pt_regs *regs = (struct pt_regs *)c->regs;

	if (current->flags & PF_KTHREAD || !current->mm)
		return NULL;
	if (!regs || !user_mode(regs))
		regs = task_pt_regs(current);
	return user_mode(regs) && user_64bit_mode(regs) ? regs : NULL;
}

/*
 * Is ip behind a system call instruction? If a signal is about to be handled, or a new program begins, the
 * system call's number is set, too, but ip is a function's first instruction. syscall leaves ip in cx, except with FRED.
 */
static bool gs_behind_syscall(struct gs_ctx *c, const struct pt_regs *regs)
{
	u64 insn;

	if ((long)regs->orig_ax < 0)
		return false;
	return regs->cx == regs->ip ||
	       (gs_load_user(c, &insn, regs->ip - 2, 2) && (insn == 0x050f || insn == 0x80cd));
}

/* One by one, as the rest is set before it is read: to clear it all would take a third of the time that recalling a stack does. */
static void gs_unwind_begin(struct gs_unwinder *u, struct gs_ctx *c, const struct pt_regs *regs)
{
	u64 *value = u->value;

	u->c = c;
	u->mm = current->mm;
	u->map.start = u->map.size = 0;
	u->ip = regs->ip;
	u->sp = regs->sp;
	value[0] = regs->ax;
	value[1] = regs->dx;
	value[2] = regs->cx;
	value[3] = regs->bx;
	value[4] = regs->si;
	value[5] = regs->di;
	value[6] = regs->bp;
	value[7] = regs->sp;
	value[8] = regs->r8;
	value[9] = regs->r9;
	value[10] = regs->r10;
	value[11] = regs->r11;
	value[12] = regs->r12;
	value[13] = regs->r13;
	value[14] = regs->r14;
	value[15] = regs->r15;
	u->known = u->unchanged = 0xffff;
	u->saved = 0;
	u->called = gs_behind_syscall(c, regs);
	u->locked = false;
	u->noted = NULL;
}

/* A register's value in this frame. */
static bool gs_register(struct gs_unwinder *u, u8 reg, u64 *to)
{
	if (u->known & 1 << reg) {
		gs_note_register(u, reg);
	} else {
		if (!(u->saved & 1 << reg) || !gs_word(u, u->at[reg], &u->value[reg]))
			return false;
		gs_note_saved(u, u->at[reg], u->value[reg]);
		u->known |= 1 << reg;
	}
	*to = u->value[reg];
	return true;
}

/* The rule of the last row up to offset. */
static const struct gs_unwind_rule *gs_rule(const struct gs_table *t, u64 offset)
{
	u32 low = 0, high = t->nrows;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (t->offsets[mid] <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &t->rules[t->rule_of[low - 1]] : &t->rules[0];
}

/*
 * A uretprobe has replaced a return address by the kernel's trampoline, and
 * keeps the original in a list of the task. The task may be about to change the
 * list, so each access to it may fail.
 */
static u64 gs_true_return(u64 at, u64 addr)
{
#ifdef CONFIG_UPROBES
	struct uprobe_task *utask = READ_ONCE(current->utask);
	struct return_instance *ri, *next, copy;
	int i;

	if (!utask || copy_from_kernel_nofault(&next, &utask->return_instances, sizeof(next)))
		return addr;
	for (i = 0, ri = next; ri && i < 64; i++, ri = copy.next) {
		if (copy_from_kernel_nofault(&copy, ri, sizeof(copy)))
			break;
		if (copy.stack == at)
			return copy.orig_ret_vaddr;
	}
#endif
	return addr;
}

/* Takes the frame's return address from an address of the stack. */
static void gs_return_to(struct gs_unwinder *u, u64 at, u64 addr)
{
	u->ip = gs_true_return(at, addr);
	if (u->ip == addr)
		gs_note_return(u, at, addr);
	else
		gs_note_nothing(u);
}

enum gs_step { GS_STEP, GS_STEP_END, GS_STEP_FAULT, GS_STEP_BUSY };

/* Finds the caller by the frame pointer, if there is one. */
static enum gs_step gs_step_guess(struct gs_unwinder *u)
{
	u64 bp, sp, caller, ip;

	if (!gs_register(u, GS_RBP, &bp) || !gs_register(u, GS_RSP, &sp) || bp < sp || bp & 7)
		return GS_STEP_END;
	if (!gs_word(u, bp, &caller) || !gs_word(u, bp + 8, &ip))
		return GS_STEP_FAULT;
	gs_note_saved(u, bp, caller);
	gs_return_to(u, bp + 8, ip);
	u->value[GS_RBP] = caller;
	u->value[GS_RSP] = bp + 16;
	/* Where the function has saved other registers is not known. */
	u->known = 1 << GS_RBP | 1 << GS_RSP;
	u->saved = u->unchanged = 0;
	u->called = true;
	return u->ip ? GS_STEP : GS_STEP_END;
}

/* The address of the goroutine's stack up to which it is in use, by what is kept at `at`. */
static bool gs_goroutine_sp(struct gs_unwinder *u, u64 at, u64 *sp)
{
	u64 depth, g, top;

	gs_note_nothing(u);
	if (!gs_word(u, at, &depth) || !gs_word(u, at + 8, &g) || !gs_word(u, g + 8, &top))
		return false;
	*sp = top - depth;
	return true;
}

static bool gs_cfa(struct gs_unwinder *u, const struct gs_unwind_rule *r, u64 *cfa)
{
	u64 at;

	if (!gs_register(u, r->reg, cfa))
		return false;
	*cfa += r->offset;
	switch (r->cfa) {
	case GS_CFA_DEREF:
		at = *cfa;
		if (!gs_word(u, at, cfa))
			return false;
		gs_note_saved(u, at, *cfa);
		*cfa += r->add;
		break;
	case GS_CFA_CGO:
		if (!gs_goroutine_sp(u, *cfa, cfa))
			return false;
		*cfa += r->add;
		break;
	case GS_CFA_PLT:
		if ((u->ip & 15) >= r->add)
			*cfa += 8;
		break;
	}
	return true;
}

static enum gs_step gs_step(struct gs_unwinder *u, const struct gs_unwind_rule *r)
{
	bool signal = r->flags & GS_RULE_SIGNAL;
	u64 sp = u->value[GS_RSP], cfa, ra_from, saved_from, ip;
	u32 i;

	if (!gs_cfa(u, r, &cfa))
		return GS_STEP_FAULT;
	/* A caller's frame is at a higher address, unless it is on another stack, as the one that a signal's handler interrupts may be. */
	if (cfa <= sp && !signal && r->cfa != GS_CFA_CGO)
		return GS_STEP_FAULT;
	ra_from = saved_from = cfa;
	if ((r->ra_from != GS_FROM_CFA && !gs_register(u, r->ra_from, &ra_from)) ||
	    (r->saved_from != GS_FROM_CFA && !gs_register(u, r->saved_from, &saved_from)) ||
	    !gs_word(u, ra_from + r->ra, &ip))
		return GS_STEP_FAULT;
	gs_return_to(u, ra_from + r->ra, ip);
	u->known &= GS_PRESERVED;
	for (i = 0; i < ARRAY_SIZE(gs_saved_regs); i++) {
		u32 reg = gs_saved_regs[i], bit = 1 << reg;

		if (r->saved & 1 << i) {
			u->at[reg] = saved_from + r->at[i];
			u->saved |= bit;
			u->known &= ~bit;
		} else if (r->lost & 1 << i) {
			u->saved &= ~bit;
			u->known &= ~bit;
		}
	}
	u->value[GS_RSP] = cfa;
	u->unchanged &= u->known & ~(1 << GS_RSP);
	u->called = !signal;
	return u->ip ? GS_STEP : GS_STEP_END;
}

/* Goes to the caller of the frame. */
static enum gs_step gs_unwind_step(struct gs_unwinder *u, struct gs_frame *frame, bool first, u32 *flags)
{
	const struct gs_table *t = gs_image_table(u->map.image);
	const struct gs_unwind_rule *r;

	r = t ? gs_rule(t, u->ip - u->called - u->map.start + u->map.offset) : NULL;
	if (r && r->flags & GS_RULE_END)
		return GS_STEP_END;
	/* A signal handler returns to the trampoline, which has not called it. */
	if (r && r->flags & GS_RULE_SIGNAL && !first)
		frame->image &= ~GS_FRAME_CALL;
	if (r && r->cfa != GS_CFA_NONE)
		return gs_step(u, r);
	*flags |= GS_USTACK_GUESSED;
	return gs_step_guess(u);
}

/* Requests a file's table with the first stack in it; the owner sends those of the process's other files, too. */
static void gs_note_images(struct mm_struct *mm)
{
	struct gs_mapping m = {};
	u64 addr = 0;
	int i;

	for (i = 0; i < 512; i++) {
		struct vm_area_struct *vma = find_vma(mm, addr);

		if (!vma)
			return;
		addr = vma->vm_end;
		if (vma->vm_flags & VM_EXEC)
			gs_map(&m, mm, vma->vm_start);
	}
}

/* Makes u->map the mapping of addr. False: there is none, or it is not known. */
static bool gs_map_frame(struct gs_unwinder *u, u64 addr)
{
	if (!u->locked)
		return gs_recall_mapping(u->c, u->mm, addr, &u->map);
	if (addr - u->map.start < u->map.size)
		return true;
	if (!gs_map(&u->map, u->mm, addr))
		return false;
	gs_note_mapping(u->c, u->mm, &u->map);
	return true;
}

/* Unwinds the stack; returns the number of frames. */
static u32 gs_follow_stack(struct gs_unwinder *u, struct gs_frame *to, u32 max, u32 *flags)
{
	enum gs_step step = GS_STEP;
	u32 n;

	for (n = 0; n < max && step == GS_STEP;) {
		bool there = gs_map_frame(u, u->ip - u->called);

		if (!there && !u->locked)
			step = GS_STEP_BUSY;
		/* An address that is not in code is no caller's. */
		else if (n && (!there || !u->map.code))
			step = GS_STEP_FAULT;
		if (n && step != GS_STEP)
			break;
		if (!there)
			u->map = (struct gs_mapping){ .image = GS_NO_IMAGE };
		to[n] = (struct gs_frame){
			.addr = u->ip,
			.image = u->map.image | (u->called ? GS_FRAME_CALL : 0),
			.offset = u->ip - u->map.start + u->map.offset,
		};
		if (!n && u->locked && there && u->map.image != GS_NO_IMAGE && !gs_image_table(u->map.image))
			gs_note_images(u->mm);
		if (++n < max && step == GS_STEP)
			step = gs_unwind_step(u, &to[n - 1], n == 1, flags);
	}
	if (step == GS_STEP_FAULT)
		*flags |= GS_USTACK_FAULT;
	else if (step == GS_STEP_BUSY)
		*flags |= GS_USTACK_BUSY;
	else if (step == GS_STEP && max == GS_USTACK_DEPTH)
		*flags |= GS_USTACK_DEEP;
	gs_ustack_noted(u, to, n, *flags, step == GS_STEP_END);
	return n;
}

static const struct gs_frame *gs_unwind_from(struct gs_ctx *c, const struct pt_regs *regs, u32 max, u32 *n, u32 *flags)
{
	struct gs_frame *to = container_of(c, struct gs_cpu, ctx)->ustack;
	struct gs_known_ustack *k;
	struct gs_unwinder u GS_UNINITIALIZED;

	gs_unwind_begin(&u, c, regs);
	k = gs_known_ustack(&u);
	if (k && gs_recall_ustack(&u, k, max)) {
		*n = min(k->n, max);
		*flags = k->flags;
		return k->frames;
	}
	if (k)
		gs_note_ustack(&u, k);
	u.locked = gs_lock_mm(c, u.mm);
	if (!u.locked)
		gs_note_nothing(&u);
	*n = gs_follow_stack(&u, to, max, flags);
	if (u.locked)
		gs_unlock_mm(c, u.mm);
	return to;
}

const struct gs_frame *gs_ustack(struct gs_ctx *c, gs_u32 max, gs_u32 *n, gs_u32 *flags)
{
	struct pt_regs *regs = gs_user_regs(c);

	*n = *flags = 0;
	max = min_t(u32, max, GS_USTACK_DEPTH);
	if (!regs || !max)
		return NULL;
	return gs_unwind_from(c, regs, max, n, flags);
}

const struct gs_frame *gs_ustack_from(struct gs_ctx *c, gs_u64 ip, gs_u64 sp, gs_u64 bp, gs_u32 *n, gs_u32 *flags)
{
	struct pt_regs *regs = gs_user_regs(c), other;

	*n = *flags = 0;
	if (!regs)
		return NULL;
	other = *regs;
	other.ip = ip;
	other.sp = sp;
	other.bp = bp;
	return gs_unwind_from(c, &other, GS_USTACK_DEPTH, n, flags);
}
