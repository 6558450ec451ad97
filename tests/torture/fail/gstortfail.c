// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gstortfail - makes the nth allocation of a module fail, including those of
 * functions that it calls: for kernels without fault injection, and for an
 * exact selection.
 *
 * It has kprobes at the allocators' entries. An allocation is the victim's if
 * the victim's code is on the stack. Allocations with the same stack, as in a
 * loop, are one kind, of which only one counts.
 */
#include <linux/gfp.h>
#include <linux/jhash.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/stacktrace.h>

static char *victim = "victim";
module_param(victim, charp, 0444);
static unsigned int nth;		/* the allocation that fails; 0: none */
module_param(nth, uint, 0644);
static unsigned int turn = 1;		/* which allocation of each kind counts */
module_param(turn, uint, 0644);
static atomic_t counted = ATOMIC_INIT(0);
static struct module *watched;		/* the victim, while it is loaded */

static int counted_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", atomic_read(&counted));
}

static const struct kernel_param_ops counted_ops = { .get = counted_get };
module_param_cb(counted, &counted_ops, NULL, 0444);

/* The stacks that have occurred, by hash, with their numbers. */
#define STACKS 4096
static struct seen {
	u32 hash, times;
} seen[STACKS];
static DEFINE_RAW_SPINLOCK(seen_lock);

/* The number of occurrences of this stack, including the current one. */
static u32 times_seen(u32 hash)
{
	unsigned long flags;
	u32 i = hash, times = 0, tries;

	raw_spin_lock_irqsave(&seen_lock, flags);
	for (tries = 0; tries < STACKS && !times; tries++, i++) {
		struct seen *s = &seen[i % STACKS];

		if (s->times && s->hash != hash)
			continue;
		s->hash = hash;
		times = ++s->times;
	}
	raw_spin_unlock_irqrestore(&seen_lock, flags);
	return times;
}

static int watch(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, victim))
		return NOTIFY_DONE;
	if (event == MODULE_STATE_COMING) {
		memset(seen, 0, sizeof(seen));
		atomic_set(&counted, 0);
		WRITE_ONCE(watched, mod);
	} else if (event == MODULE_STATE_GOING) {
		WRITE_ONCE(watched, NULL);
	}
	return NOTIFY_DONE;
}

static struct notifier_block watcher = { .notifier_call = watch };

/* Is the allocation the victim's, and one that counts? */
static bool counts(void)
{
	unsigned long addrs[48];
	unsigned int i, n;
	struct module *mod = READ_ONCE(watched);

	if (!mod)
		return false;
	n = stack_trace_save(addrs, ARRAY_SIZE(addrs), 0);
	for (i = 0; i < n; i++)
		if (within_module(addrs[i], mod))
			return times_seen(jhash(addrs, n * sizeof(*addrs), 0)) == READ_ONCE(turn);
	return false;
}

/* A failing call continues here: this returns to the allocator's caller, as the stack is that at the allocator's entry. */
static noinline notrace void gstortfail_return(void)
{
}

/* An allocator, and the index of its flags argument; -1: it has none. */
struct allocator {
	struct kprobe kp;
	int flags;
};

static int hit(struct kprobe *kp, struct pt_regs *regs)
{
	struct allocator *a = container_of(kp, struct allocator, kp);
	unsigned long args[] = { regs->di, regs->si, regs->dx, regs->cx };

	if (a->flags >= 0 && args[a->flags] & __GFP_NOFAIL)
		return 0;
	if (!counts() || atomic_inc_return(&counted) != READ_ONCE(nth))
		return 0;
	pr_info("allocation %u fails: %ps\n", nth, (void *)kp->addr);
	regs->ax = 0;
	regs->ip = (unsigned long)gstortfail_return;
	return 1;
}

/* Kprobes that change the instruction pointer can't be optimised into jumps; a post handler prevents that. */
static void after(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

#define ALLOCATOR(name, n) { .kp = { .symbol_name = #name, .pre_handler = hit, .post_handler = after }, .flags = n }
static struct allocator allocators[] = {
	ALLOCATOR(__kmalloc, 1), ALLOCATOR(__kmalloc_node, 1), ALLOCATOR(kmalloc_trace, 1), ALLOCATOR(kmalloc_node_trace, 1),
	ALLOCATOR(kmem_cache_alloc, 1), ALLOCATOR(kmem_cache_alloc_node, 1), ALLOCATOR(kvmalloc_node, 1),
	ALLOCATOR(pcpu_alloc, 3), ALLOCATOR(vmalloc, -1), ALLOCATOR(vzalloc, -1), ALLOCATOR(vmap, -1),
	/* since 6.10 */
	ALLOCATOR(__kmalloc_noprof, 1), ALLOCATOR(__kmalloc_node_noprof, -1), ALLOCATOR(__kmalloc_cache_noprof, 1),
	ALLOCATOR(__kmalloc_cache_node_noprof, 1), ALLOCATOR(kmem_cache_alloc_noprof, 1),
	ALLOCATOR(kmem_cache_alloc_node_noprof, 1), ALLOCATOR(__kvmalloc_node_noprof, -1), ALLOCATOR(pcpu_alloc_noprof, 3),
	ALLOCATOR(vmalloc_noprof, -1), ALLOCATOR(vzalloc_noprof, -1),
};

static int __init begin(void)
{
	int i, n = 0, err;

	for (i = 0; i < ARRAY_SIZE(allocators); i++) {
		if (!register_kprobe(&allocators[i].kp))
			n++;
		else
			allocators[i].kp.addr = NULL;
	}
	if (n < 5)
		pr_warn("only %d allocators found\n", n);
	err = register_module_notifier(&watcher);
	if (err)
		return err;
	return 0;
}

static void __exit finish(void)
{
	int i;

	unregister_module_notifier(&watcher);
	for (i = 0; i < ARRAY_SIZE(allocators); i++)
		if (allocators[i].kp.addr)
			unregister_kprobe(&allocators[i].kp);
}

module_init(begin);
module_exit(finish);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("allocations that fail, for gostap's tests");
