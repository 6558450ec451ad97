// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * regex.c - regular expressions: a DFA finds whether a string matches; for
 * scripts that call matched(), a Pike VM finds where. Both take time that is
 * bounded by the string's length times the expression's size.
 */
#include "gostap.h"

int gs_regex_match(const struct gs_regex *re, struct gs_str s)
{
	gs_u32 state = 0;
	gs_size i;

	for (i = 0; i < s.len && !(re->accepts[state] & 1); i++)
		state = re->next[state * re->nclasses + re->classes[(gs_u8)s.s[i]]];
	return re->accepts[state] != 0 && (re->accepts[state] & 1 || i == s.len);
}

/* The threads at one position of the string, by preference; at most one for each instruction. */
struct gs_threads {
	gs_u16 *pcs;
	gs_u16 *slots;		    /* of each pc: places + 1, 0 for unset */
	gs_u16 *mark;		    /* of each pc: `place` + 1 if it has been here at that place */
	gs_u32 n;
};

struct gs_matcher {
	const struct gs_re_program *p;
	struct gs_str s;
	gs_u32 nslots;
	struct gs_pending {	    /* instructions to follow, or slots to restore */
		gs_u16 pc;
		gs_u16 restore;	    /* slot + 1, or 0 */
		gs_u16 value;
		gs_u16 pad;
	} *stack;
	gs_u16 slots[2 * GS_MAXGROUPS];
};

/* Adds a thread at pc, and those that it leads to without consuming a byte, in order of preference. */
static void gs_add_thread(struct gs_matcher *m, struct gs_threads *list, gs_u16 pc, gs_u32 place)
{
	gs_u32 depth = 0;

	m->stack[depth++] = (struct gs_pending){ .pc = pc };
	while (depth) {
		struct gs_pending at = m->stack[--depth];
		const struct gs_re_inst *in;

		if (at.restore) {
			m->slots[at.restore - 1] = at.value;
			continue;
		}
		if (list->mark[at.pc] == place + 1)
			continue;
		list->mark[at.pc] = place + 1;
		in = &m->p->insts[at.pc];
		switch (in->op) {
		case GS_RE_SPLIT:
			m->stack[depth++] = (struct gs_pending){ .pc = in->y };
			m->stack[depth++] = (struct gs_pending){ .pc = in->x };
			break;
		case GS_RE_SAVE:
			if (in->y < m->nslots) {
				m->stack[depth++] = (struct gs_pending){ .restore = in->y + 1, .value = m->slots[in->y] };
				m->slots[in->y] = place + 1;
			}
			m->stack[depth++] = (struct gs_pending){ .pc = in->x };
			break;
		case GS_RE_BOL:
			if (!place)
				m->stack[depth++] = (struct gs_pending){ .pc = in->x };
			break;
		case GS_RE_EOL:
			if (place == m->s.len)
				m->stack[depth++] = (struct gs_pending){ .pc = in->x };
			break;
		default:
			list->pcs[list->n++] = at.pc;
			__builtin_memcpy(&list->slots[at.pc * m->nslots], m->slots, m->nslots * sizeof(*m->slots));
		}
	}
}

static void gs_note_match(struct gs_ctx *c, const gs_u16 *slots, gs_u32 ngroups)
{
	gs_u32 i;

	c->match.ngroups = ngroups;
	for (i = 0; i < ngroups; i++) {
		int whole = slots[2 * i] && slots[2 * i + 1];

		c->match.from[i] = whole ? slots[2 * i] - 1 : -1;
		c->match.to[i] = whole ? slots[2 * i + 1] - 1 : -1;
	}
}

static char *gs_lay_out(struct gs_threads *list, char *at, gs_u32 ninsts, gs_u32 nslots)
{
	list->n = 0;
	list->pcs = (gs_u16 *)at;
	list->mark = list->pcs + ninsts;
	list->slots = list->mark + ninsts;
	__builtin_memset(list->mark, 0, ninsts * sizeof(*list->mark));
	return (char *)(list->slots + ninsts * nslots);
}

void gs_regex_groups(struct gs_ctx *c, const struct gs_re_program *p, struct gs_str s, char *scratch)
{
	struct gs_matcher m = { .p = p, .s = s, .nslots = 2 * p->ngroups };
	struct gs_threads lists[2], *now = &lists[0], *then = &lists[1];
	gs_u32 place, i;

	m.stack = (struct gs_pending *)scratch;
	scratch = (char *)(m.stack + 2 * p->ninsts);
	scratch = gs_lay_out(now, scratch, p->ninsts, m.nslots);
	gs_lay_out(then, scratch, p->ninsts, m.nslots);
	c->match.subject = s;
	c->match.ngroups = 0;
	for (place = 0; place <= s.len; place++) {
		struct gs_threads *t = now;

		if (!c->match.ngroups) {
			__builtin_memset(m.slots, 0, sizeof(m.slots));
			gs_add_thread(&m, now, p->start, place);
		}
		then->n = 0;
		for (i = 0; i < now->n; i++) {
			gs_u16 pc = now->pcs[i];
			const struct gs_re_inst *in = &p->insts[pc];
			const gs_u16 *slots = &now->slots[pc * m.nslots];

			if (c->match.ngroups && slots[0] - 1 > c->match.from[0])
				break;
			if (in->op == GS_RE_MATCH) {
				if (!c->match.ngroups || slots[0] - 1 < c->match.from[0] || slots[1] - 1 > c->match.to[0])
					gs_note_match(c, slots, p->ngroups);
			} else if (place < s.len) {
				gs_u8 byte = s.s[place];

				if (p->sets[in->set][byte >> 6] >> (byte & 63) & 1) {
					__builtin_memcpy(m.slots, slots, m.nslots * sizeof(*slots));
					gs_add_thread(&m, then, in->x, place + 1);
				}
			}
		}
		now = then;
		then = t;
	}
}
