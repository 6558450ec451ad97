/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userstack.h - what the unwinder of programs' stacks shares with the cache of
 * unwound stacks.
 */
#ifndef GS_USERSTACK_H
#define GS_USERSTACK_H

#include "userimage.h"

/* Registers by DWARF's numbers. */
#define GS_RBP 6
#define GS_RSP 7
#define GS_NREGS 16

/* A word of a stack, by its offset from the stack pointer at the hit. */
struct gs_ustack_word {
	s64 at;
	u64 value;
};

/* The key of an entry: the process, and the state of its mappings and of the tables. */
struct gs_ustack_key {
	struct mm_struct *mm;		/* NULL: no stack is known */
	u64 started;			/* when the process started */
	u64 executed;			/* how often it has executed a program */
	u64 unmapped;			/* TLB flushes in its address space */
	u64 tables;			/* how many tables had been stored */
	u64 ip;
	u64 called;
};

/* A cached stack: the words that the result depends on, and the frames. */
#define GS_KNOWN_USTACKS 32		/* entries of a CPU; a power of two */
#define GS_KNOWN_UDEPTH 32
struct gs_known_ustack {
	struct gs_ustack_key key;
	u32 n;				/* frames */
	u32 nreturns;
	u32 nsaved;
	u32 flags;			/* GS_USTACK_* */
	u32 registers;			/* a bit for each that was used */
	bool complete;			/* the last frame has no caller */
	u64 value[GS_NREGS];		/* of these registers, by gs_ustack_relative() */
	struct gs_ustack_word returns[GS_KNOWN_UDEPTH];
	struct gs_ustack_word saved[GS_KNOWN_UDEPTH];	/* saved registers; their values by gs_ustack_relative() */
	struct gs_frame frames[GS_KNOWN_UDEPTH];
};

/* A cached mapping of code, with its process. */
#define GS_MAPPED_BITS 5		/* 1 << that is the number of a CPU's entries */
struct gs_mapped {
	struct mm_struct *mm;		/* NULL: none */
	u64 started;			/* when the process started */
	u64 executed;			/* how often it has executed a program */
	u64 code;			/* how many pages of code were mapped */
	struct gs_mapping map;
};

/* The caches of a CPU. */
struct gs_known_ustacks {
	struct gs_known_ustack stacks[GS_KNOWN_USTACKS];
	struct gs_mapped mapped[1 << GS_MAPPED_BITS];
};

/* Kernels with CONFIG_INIT_STACK_ALL_ZERO have the compiler clear local variables, but for those that say this. */
#if __has_attribute(uninitialized)
#define GS_UNINITIALIZED __attribute__((uninitialized))
#else
#define GS_UNINITIALIZED
#endif

/*
 * The state of the unwinder at a frame. A register that a callee has saved is only
 * read from the stack when it is needed, which is rare.
 */
struct gs_unwinder {
	struct gs_ctx *c;
	struct mm_struct *mm;
	struct gs_mapping map;		/* of ip, or of the last address that was looked up */
	u64 ip;
	u64 sp;				/* at the hit */
	u64 value[GS_NREGS];
	u64 at[GS_NREGS];		/* where it is saved */
	u32 known;			/* registers whose value is in value */
	u32 saved;			/* registers whose value is in memory, at at[]; the others are lost */
	u32 unchanged;			/* registers that have the values of the hit */
	bool called;			/* ip is behind a call or system call, which may be the function's last instruction */
	bool locked;			/* mm is locked */
	struct gs_known_ustack *noted;	/* the entry that is recorded; NULL: none */
};

/* usermapped.c */
void gs_note_mapping(struct gs_ctx *c, struct mm_struct *mm, const struct gs_mapping *m);
bool gs_recall_mapping(struct gs_ctx *c, struct mm_struct *mm, u64 addr, struct gs_mapping *m);

/* userknown.c */
struct gs_known_ustack *gs_known_ustack(struct gs_unwinder *u);
bool gs_recall_ustack(const struct gs_unwinder *u, const struct gs_known_ustack *k, u32 max);
void gs_note_ustack(struct gs_unwinder *u, struct gs_known_ustack *k);
void gs_note_register(struct gs_unwinder *u, u8 reg);
void gs_note_return(struct gs_unwinder *u, u64 at, u64 value);
void gs_note_saved(struct gs_unwinder *u, u64 at, u64 value);
void gs_note_nothing(struct gs_unwinder *u);
void gs_ustack_noted(struct gs_unwinder *u, const struct gs_frame *frames, u32 n, u32 flags, bool complete);

#endif
