// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map.c - arrays: inserting, deleting, clearing. Memory is allocated by init only.
 */
#include "gostap.h"

gs_u64 gs_hash_str(gs_u64 h, struct gs_str s)
{
	gs_size n = s.len;

	if (gs_likely(n >= 8)) {
		gs_size i;

		for (i = 0; i < n - 8; i += 8)
			h = gs_mix(h, GS_U64(s.s + i));
		return gs_mix(h, GS_U64(s.s + n - 8) + n);
	}
	if (n >= 4)
		return gs_mix(h, (GS_U32(s.s) | (gs_u64)GS_U32(s.s + n - 4) << 32) + n);
	if (n)
		return gs_mix(h, ((gs_u8)s.s[0] | (gs_u8)s.s[n >> 1] << 8 | (gs_u64)(gs_u8)s.s[n - 1] << 16) + n);
	return gs_mix(h, 0);
}

static gs_u32 gs_table_size(gs_u32 max)
{
	gs_u32 size = 8;

	while (size < max && size < 1u << 31)
		size <<= 1;
	return size;
}

gs_u64 gs_map_size(gs_size node_size, gs_u32 max)
{
	return gs_table_size(max) * sizeof(struct gs_node *) + max * (gs_u64)node_size;
}

int gs_map_init(struct gs_map *m, gs_size node_size, gs_u32 max, int wrap, int cpu)
{
	gs_u32 size = gs_table_size(max);

	m->table = gs_alloc(size * sizeof(*m->table), cpu);
	m->nodes = gs_alloc(max * node_size, cpu);
	if (!m->table || !m->nodes) {
		gs_map_fini(m);
		return -12; /* -ENOMEM */
	}
	m->mask = size - 1;
	m->max = max;
	m->wrap = wrap;
	m->node_size = node_size;
	m->order.next = m->order.prev = &m->order;
	return 0;
}

void gs_map_fini(struct gs_map *m)
{
	gs_free(m->table);
	gs_free(m->nodes);
	__builtin_memset(m, 0, sizeof(*m));
}

static void gs_map_unchain(struct gs_map *m, struct gs_node *n)
{
	struct gs_node **p = &m->table[n->hash & m->mask];

	while (*p != n)
		p = &(*p)->chain;
	*p = n->chain;
	m->count--;
}

static void gs_map_release(struct gs_map *m, struct gs_node *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	n->chain = m->free;
	n->dead = 1;
	m->free = n;
}

static struct gs_node *gs_map_node(struct gs_map *m)
{
	struct gs_node *n = m->free;

	if (n) {
		m->free = n->chain;
		return n;
	}
	if (m->used < m->max)
		return (struct gs_node *)(m->nodes + m->used++ * m->node_size);
	return NULL;
}

/* Within a foreach that may delete, the oldest element can't be reused yet. */
static void gs_map_drop_oldest(struct gs_map *m)
{
	struct gs_node *n;

	gs_map_each(n, m) {
		if (!n->dead) {
			gs_map_delete(m, n);
			return;
		}
	}
}

struct gs_node *gs_map_insert(struct gs_map *m, gs_u32 hash)
{
	struct gs_node *n = gs_map_node(m);
	struct gs_node **bucket = &m->table[hash & m->mask];

	if (!n && m->wrap) {
		gs_map_drop_oldest(m);
		n = gs_map_node(m);
	}
	if (!n)
		return NULL;
	__builtin_memset(n + 1, 0, m->node_size - sizeof(*n));
	n->hash = hash;
	n->dead = 0;
	n->chain = *bucket;
	*bucket = n;
	n->next = &m->order;
	n->prev = m->order.prev;
	n->prev->next = n;
	m->order.prev = n;
	m->count++;
	return n;
}

void gs_map_delete(struct gs_map *m, struct gs_node *n)
{
	gs_map_unchain(m, n);
	if (m->walks) {
		n->dead = 1;
		n->chain = m->dead;
		m->dead = n;
	} else {
		gs_map_release(m, n);
	}
}

void gs_map_clear(struct gs_map *m)
{
	struct gs_node *n;

	if (m->walks) {
		gs_map_each(n, m)
			if (!n->dead)
				gs_map_delete(m, n);
		return;
	}
	gs_map_each(n, m)
		m->table[n->hash & m->mask] = NULL;
	m->order.next = m->order.prev = &m->order;
	m->count = 0;
	m->used = 0;
	m->free = NULL;
}

void gs_map_reap(struct gs_map *m)
{
	struct gs_node *n = m->dead;

	m->dead = NULL;
	while (n) {
		struct gs_node *next = n->chain;

		gs_map_release(m, n);
		n = next;
	}
}
