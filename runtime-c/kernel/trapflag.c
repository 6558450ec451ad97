// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trapflag.c - sets and clears the trap flag in the current task, looks at the
 * instruction that is next, and keeps the flag out of what the program sees.
 * The kernel calls the flag forced (TIF_FORCED_TF) if it has not been set by the
 * program: it hides it from debuggers, and a new task does not inherit it.
 */
#include <linux/bitops.h>
#include <linux/uaccess.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>

#include "internal.h"
#include "platform.h"
#include "trapflag.h"

#define GS_MAX_INSN 15
#define GS_BREAKPOINT 0xcc

/* In the current task. */
void gs_trapflag_set(struct pt_regs *regs)
{
	regs->flags |= X86_EFLAGS_TF;
	set_thread_flag(TIF_FORCED_TF);
}

/* In the current task, or in one that sleeps. If that wakes up meanwhile, its other flags stay as they are. */
void gs_trapflag_clear(struct task_struct *t)
{
	clear_bit(X86_EFLAGS_TF_BIT, &task_pt_regs(t)->flags);
	clear_tsk_thread_flag(t, TIF_FORCED_TF);
}

static unsigned long gs_switches(const struct task_struct *t)
{
	return READ_ONCE(t->nvcsw) + READ_ONCE(t->nivcsw);
}

static bool gs_is_asleep(const struct task_struct *t)
{
#ifdef CONFIG_SMP
	if (READ_ONCE(t->on_cpu))
		return false;
#endif
	return READ_ONCE(t->GS_TASK_STATE) != TASK_RUNNING;
}

/**
 * gs_trapflag_clear_other() - clears the flag of a task if it sleeps
 * @t: the task, or the current one, which need not sleep
 *
 * Context: Any.
 * Return: false if the task may have returned to user space before the flag was cleared.
 */
bool gs_trapflag_clear_other(struct task_struct *t)
{
	unsigned long switches = gs_switches(t);

	if (t == current) {
		gs_trapflag_clear(t);
		return true;
	}
	if (!gs_is_asleep(t))
		return false;
	smp_mb();	/* the state is read before the flag is cleared */
	gs_trapflag_clear(t);
	smp_mb();	/* and again afterwards */
	return gs_is_asleep(t) && switches == gs_switches(t);
}

/* After a system call: the instruction syscall leaves the flags in r11. */
void gs_trapflag_hide(struct pt_regs *regs)
{
	if (regs->r11 == regs->flags)
		regs->r11 &= ~X86_EFLAGS_TF;
}

static bool gs_is_prefix(u8 b, bool wide)
{
	switch (b) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64 ... 0x67: case 0xf0: case 0xf2: case 0xf3:
		return true;
	}
	return wide && (b & 0xf0) == 0x40;
}

/* at is the number of prefixes, code the instruction with 0 behind its end. */
static void gs_instruction_classify(struct gs_instruction *i, const u8 *code, u32 at)
{
	u8 op = code[at], second = code[at + 1];

	switch (op) {
	case 0x70 ... 0x7f: case 0xe0 ... 0xe3:		/* jcc, loop, jrcxz */
		i->kind = GS_INSN_MAY_LEAVE;
		i->next = i->ip + at + 2;
		break;
	case 0xc2: case 0xc3: case 0xca: case 0xcb: case 0xcd: case 0xcf:	/* ret, int, iret */
	case 0xe8: case 0xe9: case 0xea: case 0xeb: case 0x9a:	/* call, jmp */
		i->kind = GS_INSN_LEAVES;
		break;
	case 0xff:						/* call and jmp through a register or memory */
		if ((second >> 3 & 7) >= 2 && (second >> 3 & 7) <= 5)
			i->kind = GS_INSN_LEAVES;
		break;
	case 0x0f:
		if ((second & 0xf0) == 0x80) {
			i->kind = GS_INSN_MAY_LEAVE;
			i->next = i->ip + at + 6;
		} else if (second == 0x05 || second == 0x34) {	/* syscall, sysenter */
			i->kind = GS_INSN_LEAVES;
		}
		break;
	case 0x9c:
		i->kind = GS_INSN_PUSHF;
		i->next = i->ip + at + 1;
		break;
	case GS_BREAKPOINT:
		i->kind = GS_INSN_UNKNOWN;
		break;
	}
}

/* What can't be read stays 0. Returns the number of bytes that can't. */
static u32 gs_copy_code(u8 *to, u64 ip)
{
	u32 left;

	pagefault_disable();
	left = copy_from_user(to, (const void __user *)ip, GS_MAX_INSN);
	pagefault_enable();
	return left;
}

/*
 * Looks at the instruction that is executed next. The kernel may not be able to bring it for a long time, during
 * which the session must be able to end. Context: The current task's, which may sleep.
 */
void gs_instruction_look(struct gs_instruction *i, const struct pt_regs *regs)
{
	u8 code[GS_MAX_INSN + 1] = { 0 };
	bool wide = user_64bit_mode((struct pt_regs *)regs);
	u32 at = 0;

	i->ip = regs->ip;
	i->kind = GS_INSN_PLAIN;
	if (gs_copy_code(code, regs->ip)) {
		gs_touch(regs->ip, 1);
		gs_touch(regs->ip + GS_MAX_INSN - 1, 1);
		if (gs_copy_code(code, regs->ip) == GS_MAX_INSN) {
			i->kind = GS_INSN_UNKNOWN;
			return;
		}
	}
	while (at < GS_MAX_INSN - 1 && gs_is_prefix(code[at], wide))
		at++;
	gs_instruction_classify(i, code, at);
}

/* Has execution gone on elsewhere than behind the instruction? */
bool gs_instruction_left(const struct gs_instruction *i, u64 ip)
{
	switch (i->kind) {
	case GS_INSN_LEAVES:
		return true;
	case GS_INSN_MAY_LEAVE:
		return ip != i->next;
	case GS_INSN_UNKNOWN:
		return ip - i->ip > GS_MAX_INSN;
	default:
		return false;
	}
}

/* After the instruction: takes the trap flag out of what it has stored. Context: The current task's, which may sleep. */
void gs_instruction_mend(const struct gs_instruction *i, const struct pt_regs *regs)
{
	u16 __user *flags = (u16 __user *)regs->sp;
	u16 value;

	if (i->kind != GS_INSN_PUSHF || regs->ip != i->next)
		return;
	pagefault_disable();
	if (!get_user(value, flags))
		put_user(value & ~X86_EFLAGS_TF, flags);
	pagefault_enable();
}
