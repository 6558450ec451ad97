/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userstack.h - what following a program's stack, and recalling one that was
 * followed before, share.
 */
#ifndef GS_USERSTACK_H
#define GS_USERSTACK_H

#include "userimage.h"

/* Registers by DWARF's numbers. */
#define GS_RBP 6
#define GS_RSP 7
#define GS_NREGS 16

/* A word of a stack, by how far it stands from the stack pointer at the hit. */
struct gs_ustack_word {
	s64 at;
	u64 value;
};

/* Which process the stack is of, and with which mappings and tables it was followed. */
struct gs_ustack_key {
	struct mm_struct *mm;		/* NULL: no stack is known */
	u64 started;			/* when the process did */
	u64 executed;			/* how often */
	u64 unmapped;			/* how often pages have gone from the address space */
	u64 tables;			/* how many had come */
	u64 ip;
	u64 called;
};

/* Words of a stack that callers' frames were found by, and the frames. */
#define GS_KNOWN_USTACKS 32		/* of a CPU; a power of two */
#define GS_KNOWN_UDEPTH 32
struct gs_known_ustack {
	struct gs_ustack_key key;
	u32 n;				/* frames */
	u32 nreturns;
	u32 nsaved;
	u32 flags;			/* GS_USTACK_* */
	u32 registers;			/* a bit for each that was used */
	bool complete;			/* the last frame has no caller */
	u64 value[GS_NREGS];		/* of these registers, as gs_ustack_relative() has it */
	struct gs_ustack_word returns[GS_KNOWN_UDEPTH];
	struct gs_ustack_word saved[GS_KNOWN_UDEPTH];	/* registers; their values as gs_ustack_relative() has them */
	struct gs_frame frames[GS_KNOWN_UDEPTH];
};

/* A mapping of code, and which process's it was when. */
#define GS_MAPPED_BITS 5		/* those of a CPU, as a power of two */
struct gs_mapped {
	struct mm_struct *mm;		/* NULL: none */
	u64 started;			/* when the process did */
	u64 executed;			/* how often */
	u64 code;			/* how many pages of code were mapped */
	struct gs_mapping map;
};

/* What a CPU knows of stacks that it has followed. */
struct gs_known_ustacks {
	struct gs_known_ustack stacks[GS_KNOWN_USTACKS];
	struct gs_mapped mapped[1 << GS_MAPPED_BITS];
};

/*
 * A frame on the way. A register that a callee has saved is only read from
 * there when it is needed, which few are.
 */
struct gs_unwinder {
	struct gs_ctx *c;
	struct mm_struct *mm;
	struct gs_mapping map;		/* of ip, or of what was looked up last */
	u64 ip;
	u64 sp;				/* at the hit */
	u64 value[GS_NREGS];
	u64 at[GS_NREGS];		/* where it is saved */
	u32 known;			/* registers whose value is in value */
	u32 saved;			/* those whose value is at at; the others are lost */
	u32 unchanged;			/* those that are still what they were at the hit */
	bool called;			/* ip is behind a call, or a system call, which may be the last of its function */
	bool locked;			/* mm is */
	struct gs_known_ustack *noted;	/* NULL: what is found is not noted */
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
