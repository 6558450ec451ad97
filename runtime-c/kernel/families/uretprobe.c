// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uretprobe.c - returns of programs' functions: by uprobes at all instructions
 * that return from the function, if they are known, else by the kernel's
 * uretprobes. Values of the function's entry are kept in a table. Its key is the
 * task and the address of the return address on the stack; in a Go program the
 * goroutine, and the distance of that from the stack's base, as stacks move. The
 * entry of a call that never returns, because of longjmp or the task's end, is
 * overwritten by a later call with the same key, or as the oldest if there is no
 * room. args[0] is the number of calls that may be active at once; 0: a default.
 */
#include <linux/hash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../uprobe.h"

#define GS_CALL_WAYS 8
#define GS_CALLS_MEMORY (4 << 20)	/* bytes, by default, */
#define GS_CALLS_DEFAULT 32768		/* but for no more calls */
#define GS_CALLS_MAX (1 << 20)

/* The kernel hooks at most so many returns of a task: MAX_URETPROBE_DEPTH in kernel/events/uprobes.c. */
#define GS_MAX_URETPROBE_DEPTH 64

enum gs_call_state {
	GS_CALL_FREE,
	GS_CALL_OPEN,			/* values are saved for the return */
	GS_CALL_FAILED,			/* the handler at the entry has failed */
	GS_CALL_BUSY,			/* a handler uses it: it must not be overwritten */
};

struct gs_call {
	u64 thread;			/* the task or goroutine */
	const struct gs_point *of;
	u64 place;			/* of the return address on the stack */
	u64 begun;			/* a sequence number: the lowest is the oldest */
	enum gs_call_state state;
	u64 saved[];
};

struct gs_calls {
	raw_spinlock_t lock;
	u64 begun;
	bool full;			/* a call has been overwritten for lack of room, and may not have returned yet */
};

static struct gs_uprobes gs_user_returns;
static struct gs_calls *gs_call_sets;	/* NULL if nothing is saved */
static void *gs_call_memory;
static u32 gs_call_bits;		/* 1 << gs_call_bits is the number of sets */
static size_t gs_call_size;

static struct gs_call *gs_call_at(u32 set, u32 way)
{
	return gs_call_memory + gs_call_size * (set * GS_CALL_WAYS + way);
}

/* The key of a call: its task or goroutine, and the place of its return address. */
struct gs_call_key {
	const struct gs_point *point;
	u64 thread, place;
};

#define GS_GO_STACK_HI 8	/* in struct g: the highest address of the goroutine's stack, its base */

/* place is the address of the return address on the stack. */
static struct gs_call_key gs_call_key(const struct gs_point *p, const struct pt_regs *regs, u64 place)
{
	struct gs_call_key key = { p, (u64)current, place };
	u64 g, root;

	if (!gs_program.images[p->image].is_go)
		return key;
	g = gs_regs_goroutine((const struct gs_regs *)regs);
	if (gs_read(&root, g + GS_GO_STACK_HI, sizeof(root), 1))
		return key;
	key.thread = g ^ (u64)current->mm;
	key.place = root - place;
	return key;
}

static u32 gs_call_set(const struct gs_call_key *key)
{
	return hash_64(key->thread * GOLDEN_RATIO_64 + key->place, gs_call_bits);
}

static bool gs_call_is(const struct gs_call *c, const struct gs_call_key *key)
{
	return c->state != GS_CALL_FREE && c->thread == key->thread && c->place == key->place && c->of == key->point;
}

/* Takes an entry for a call that begins; NULL if there is no room. Interrupts are off. */
static struct gs_call *gs_call_begin(const struct gs_call_key *key)
{
	u32 set = gs_call_set(key), i;
	struct gs_call *best = NULL;

	raw_spin_lock(&gs_call_sets[set].lock);
	for (i = 0; i < GS_CALL_WAYS; i++) {
		struct gs_call *c = gs_call_at(set, i);

		if (gs_call_is(c, key)) {
			best = c;
			break;
		}
		if (c->state != GS_CALL_BUSY &&
		    (!best || (best->state != GS_CALL_FREE && (c->state == GS_CALL_FREE || c->begun < best->begun))))
			best = c;
	}
	if (best) {
		gs_call_sets[set].full |= best->state != GS_CALL_FREE && !gs_call_is(best, key);
		best->thread = key->thread;
		best->of = key->point;
		best->place = key->place;
		best->begun = ++gs_call_sets[set].begun;
		WRITE_ONCE(best->state, GS_CALL_BUSY);
	}
	raw_spin_unlock(&gs_call_sets[set].lock);
	return best;
}

/* The entry of a call that ends. NULL: the call began before the session, or (lost is set) it may have been overwritten. */
static struct gs_call *gs_call_end(const struct gs_call_key *key, bool *failed, bool *lost)
{
	u32 set = gs_call_set(key), i;
	struct gs_call *found = NULL;

	raw_spin_lock(&gs_call_sets[set].lock);
	for (i = 0; i < GS_CALL_WAYS && !found; i++)
		if (gs_call_is(gs_call_at(set, i), key))
			found = gs_call_at(set, i);
	if (found) {
		*failed = found->state == GS_CALL_FAILED;
		WRITE_ONCE(found->state, GS_CALL_BUSY);
	} else {
		*lost = gs_call_sets[set].full;
	}
	raw_spin_unlock(&gs_call_sets[set].lock);
	return found;
}

/* At the function's entry: saves values for the handler. */
static int gs_user_return_enter(struct uprobe_consumer *consumer, struct pt_regs *regs GS_UPROBE_DATA)
{
	struct gs_uprobe *u = container_of(consumer, struct gs_uprobe, consumer);
	struct gs_hit entry = { u->hit.point, &u->entry };
	struct gs_call_key key;
	struct gs_call *c = NULL;
	unsigned long flags;

	if (!gs_uprobe_concerns(u))
		return 0;
	if (u->touch_entry)
		u->touch_entry((struct gs_regs *)regs, regs->ip);
	local_irq_save(flags);
	if (u->consumer.ret_handler && current->utask && current->utask->depth >= GS_MAX_URETPROBE_DEPTH)
		gs_skip_here(GS_SKIP_MAXACTIVE);
	if (u->entry.handler) {
		key = gs_call_key(u->hit.point, regs, regs->sp);
		c = gs_call_begin(&key);
	}
	if (c)
		smp_store_release(&c->state, gs_try(&entry, regs, regs->ip, c->saved) ? GS_CALL_OPEN : GS_CALL_FAILED);
	local_irq_restore(flags);
	return 0;
}

/* At the function's return; place is the address of the return address on the stack. */
static __always_inline void gs_user_return_run(struct gs_uprobe *u, struct pt_regs *regs, u64 ip, u64 place)
{
	bool failed = false, lost = false;
	struct gs_call_key key;
	struct gs_call *c;
	unsigned long flags;

	if (u->touch)
		u->touch((struct gs_regs *)regs, ip);
	local_irq_save(flags);
	if (!u->entry.handler) {
		gs_try(&u->hit, regs, ip, NULL);
		goto out;
	}
	key = gs_call_key(u->hit.point, regs, place);
	c = gs_call_end(&key, &failed, &lost);
	if (lost)
		gs_skip_here(GS_SKIP_MAXACTIVE);
	if (c && !failed)
		gs_try(&u->hit, regs, ip, c->saved);
	if (c)
		smp_store_release(&c->state, GS_CALL_FREE);
out:
	local_irq_restore(flags);
}

/* Called by the kernel's uretprobe. */
static int gs_user_return_hit(struct uprobe_consumer *consumer, unsigned long func, struct pt_regs *regs GS_UPROBE_DATA)
{
	struct gs_uprobe *u = container_of(consumer, struct gs_uprobe, consumer);

	if (gs_uprobe_concerns(u))
		gs_user_return_run(u, regs, func, regs->sp - sizeof(u64));
	return 0;
}

/* Called by a uprobe at an instruction that returns. */
static int gs_user_ret_hit(struct uprobe_consumer *consumer, struct pt_regs *regs GS_UPROBE_DATA)
{
	struct gs_uprobe *u = container_of(consumer, struct gs_uprobe, consumer);

	if (gs_uprobe_concerns(u))
		gs_user_return_run(u, regs, regs->ip - (u->offset - u->hit.point->offset), regs->sp);
	return 0;
}

static void gs_user_return(struct gs_uprobe *u)
{
	u->consumer.handler = gs_user_return_enter;
	u->consumer.ret_handler = gs_user_return_hit;
}

static void gs_user_return_entry(struct gs_uprobe *u)
{
	u->consumer.handler = gs_user_return_enter;
}

static void gs_user_ret(struct gs_uprobe *u)
{
	u->consumer.handler = gs_user_ret_hit;
}

/* Allocates the table; 0 or -ENOMEM. */
static int gs_calls_init(const struct gs_point **points, u32 n)
{
	u32 i, saved = 0, sets;
	bool unsaid = false;
	s64 calls = 0;

	for (i = 0; i < n; i++) {
		saved = max(saved, gs_program.probes[points[i]->probe].nsaved);
		calls += points[i]->args[0];
		unsaid |= !points[i]->args[0];
	}
	if (!saved)
		return 0;
	gs_call_size = sizeof(struct gs_call) + saved * sizeof(u64);
	if (unsaid)
		calls += min_t(s64, GS_CALLS_MEMORY / gs_call_size, GS_CALLS_DEFAULT);
	/* At least two sets: hash_64() needs at least one bit. */
	sets = DIV_ROUND_UP(min_t(s64, calls, GS_CALLS_MAX), GS_CALL_WAYS);
	gs_call_bits = order_base_2(max(sets, 2u));
	sets = 1u << gs_call_bits;
	gs_call_sets = kvcalloc(sets, sizeof(*gs_call_sets), GFP_KERNEL);
	gs_call_memory = gs_alloc((u64)sets * GS_CALL_WAYS * gs_call_size, -1);
	if (!gs_call_sets || !gs_call_memory)
		return -ENOMEM;
	for (i = 0; i < sets; i++)
		raw_spin_lock_init(&gs_call_sets[i].lock);
	return 0;
}

/* 0 or -ENOMEM. Returns are armed before entries, so that no saved call misses its return. */
static int gs_user_return_arm(const struct gs_point *p)
{
	int err = 0;
	u32 i;

	if (!p->nreturns)
		return gs_uprobe_arm(&gs_user_returns, p, p->offset, gs_user_return);
	for (i = 0; i < p->nreturns && !err; i++)
		err = gs_uprobe_arm(&gs_user_returns, p, p->returns[i], gs_user_ret);
	if (!err && gs_program.probes[p->probe].entry)
		err = gs_uprobe_arm(&gs_user_returns, p, p->offset, gs_user_return_entry);
	return err;
}

static int gs_user_returns_arm(const struct gs_point **points, u32 n)
{
	u32 i, instructions = n;
	int err;

	for (i = 0; i < n; i++)
		instructions += points[i]->nreturns;
	err = gs_calls_init(points, n);
	if (!err)
		err = gs_uprobes_init(&gs_user_returns, instructions);
	for (i = 0; i < n && !err; i++)
		err = gs_user_return_arm(points[i]);
	return err;
}

static void gs_user_returns_update(void)
{
	gs_uprobes_update(&gs_user_returns);
}

static void gs_user_returns_disarm(void)
{
	gs_uprobes_disarm(&gs_user_returns);
	gs_free(gs_call_memory);
	kvfree(gs_call_sets);
	gs_call_memory = NULL;
	gs_call_sets = NULL;
}

static const struct gs_family gs_family_uretprobe = {
	.name = "uretprobe", .flags = GS_FAMILY_RETURN, .arm = gs_user_returns_arm, .update = gs_user_returns_update, .disarm = gs_user_returns_disarm,
};
