/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trapflag.h - x86's trap flag in the registers of programs: the processor reports
 * each instruction that is executed while it is set.
 */
#ifndef GS_TRAPFLAG_H
#define GS_TRAPFLAG_H

#include <linux/ptrace.h>
#include <linux/sched.h>

/* What is known of an instruction before it is executed. */
struct gs_instruction {
	u64 ip;
	u64 next;			/* what follows it, if it is a conditional jump, or pushf */
	enum {
		GS_INSN_PLAIN,
		GS_INSN_LEAVES,		/* a jump, call, return or system call */
		GS_INSN_MAY_LEAVE,	/* a conditional jump */
		GS_INSN_UNKNOWN,	/* a breakpoint has replaced it, or it can't be read */
		GS_INSN_PUSHF,		/* stores the flags */
	} kind;
};

void gs_trapflag_set(struct pt_regs *regs);
void gs_trapflag_clear(struct task_struct *t);
bool gs_trapflag_clear_other(struct task_struct *t);
void gs_trapflag_hide(struct pt_regs *regs);
void gs_instruction_look(struct gs_instruction *i, const struct pt_regs *regs);
bool gs_instruction_left(const struct gs_instruction *i, u64 ip);
void gs_instruction_mend(const struct gs_instruction *i, const struct pt_regs *regs);

#endif
