/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_regex.h - matching with the tables that translator/emit/regex makes.
 */
#ifndef GS_REGEX_H
#define GS_REGEX_H

#define GS_RE_MATCH 0
#define GS_RE_BYTE 1		    /* if the next byte is in the set: on to x */
#define GS_RE_SPLIT 2		    /* on to x, or else to y */
#define GS_RE_SAVE 3		    /* store the position in slot y, on to x */
#define GS_RE_BOL 4		    /* if at the beginning: on to x */
#define GS_RE_EOL 5		    /* if at the end: on to x */

struct gs_re_inst {
	gs_u16 op;
	gs_u16 x, y;
	gs_u16 set;
};

/* The DFA, which finds whether a string matches. */
struct gs_regex {
	const gs_u8 *classes;	    /* of each byte */
	const gs_u16 *next;	    /* [state * nclasses + class] */
	const gs_u8 *accepts;	    /* of each state: 1 matched, 2 matched if the string ends here */
	gs_u32 nclasses;
};

/* The program of the Pike VM, which finds where, and the groups. */
struct gs_re_program {
	const struct gs_re_inst *insts;
	const gs_u64 (*sets)[4];
	gs_u16 ninsts;
	gs_u16 start;
	gs_u16 ngroups;		    /* the whole match included, at most GS_MAXGROUPS */
};

int gs_regex_match(const struct gs_regex *re, struct gs_str s);

/*
 * Sets c->match. s, which matches, stays where it is. scratch has
 * GS_RE_SCRATCH(p) bytes.
 */
void gs_regex_groups(struct gs_ctx *c, const struct gs_re_program *p, struct gs_str s, char *scratch);

/* For each instruction and list: a mark, a position in the list, its slots; and a stack for transitions without a byte. */
#define GS_RE_SCRATCH(ninsts, ngroups) (2 * (ninsts) * (4 + 4 * (ngroups)) + 2 * (ninsts) * 8)

#endif
