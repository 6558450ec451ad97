// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * netfilter.c - hooks of netfilter. args[0] is the protocol family and, in the
 * low byte, the hook; args[1] is the priority. They are registered in all
 * network namespaces, also in later ones. The handler's variables are passed in
 * the registers of arguments: the hook's number, the packet, the input and the
 * output device, and the verdict, which the handler may change.
 */
#include <linux/netfilter.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "../dispatch.h"

#ifdef CONFIG_NETFILTER
static struct nf_hook_ops *gs_nf_ops;
static struct gs_hit *gs_nf_hits;	/* one for each of gs_nf_ops */
static u32 gs_nf_count;
static int gs_nf_err;			/* of the first namespace that refused the hooks */
static bool gs_nf_late;			/* a failure in a namespace from now on gets a warning of its own */

/*
 * The verdict of a packet. Of one that hooks may not return, such as NF_REPEAT and
 * NF_STOP, the kernel would warn, and leak the packet.
 */
static unsigned int gs_nf_verdict(u64 verdict)
{
	switch (verdict & NF_VERDICT_MASK) {
	case NF_DROP:
	case NF_STOLEN:
	case NF_QUEUE:
		return verdict;
	}
	return NF_ACCEPT;
}

static unsigned int gs_nf_hit(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const u64 *frame = __builtin_frame_address(0);
	unsigned long flags = gs_irq_save(false);
	struct gs_regs regs;
	bool done;

	regs.ax = 0;
	regs.di = state->hook;
	regs.si = (u64)skb;
	regs.dx = (u64)state->in;
	regs.cx = (u64)state->out;
	regs.r8 = NF_ACCEPT;
	regs.r9 = 0;
	regs.bp = frame[0];
	regs.ip = frame[1];
	regs.sp = (u64)(frame + 2);
	regs.cs = 0;			/* the registers do not exist otherwise: see registers.stp */
	done = gs_try(priv, (struct pt_regs *)&regs, regs.ip, NULL);
	gs_irq_restore(flags, false);
	return done ? gs_nf_verdict(regs.r8) : NF_ACCEPT;
}

/* Whether a namespace has the hooks: its bool in net_generic(). */
static unsigned int gs_nf_id;

static void gs_nf_refused(int err)
{
	char text[96];
	int n;

	if (!READ_ONCE(gs_nf_late)) {
		gs_nf_err = gs_nf_err ?: err;
		return;
	}
	n = scnprintf(text, sizeof(text), "a network namespace that was made later can't have this hook (error %d)", -err);
	gs_message(GS_MSG_WARNING, text, n, NULL, gs_nf_hits[0].point->name);
}

/* A namespace is created also if its hooks can't be registered. */
static int __net_init gs_nf_net_init(struct net *net)
{
	bool *hooked = net_generic(net, gs_nf_id);
	int err = nf_register_net_hooks(net, gs_nf_ops, gs_nf_count);

	*hooked = !err;
	if (err)
		gs_nf_refused(err);
	return 0;
}

static void __net_exit gs_nf_net_exit(struct net *net)
{
	bool *hooked = net_generic(net, gs_nf_id);

	if (*hooked)
		nf_unregister_net_hooks(net, gs_nf_ops, gs_nf_count);
	*hooked = false;
}

static struct pernet_operations gs_nf_nets = {
	.init = gs_nf_net_init, .exit = gs_nf_net_exit, .id = &gs_nf_id, .size = sizeof(bool),
};

/* Has the kernel hooks of a point's protocol family? It warns of others. */
static bool gs_nf_supported(const struct gs_point *p)
{
	switch (p->args[0] >> 8) {
	case NFPROTO_ARP:
		return IS_ENABLED(CONFIG_NETFILTER_FAMILY_ARP);
	case NFPROTO_BRIDGE:
		return IS_ENABLED(CONFIG_NETFILTER_FAMILY_BRIDGE);
	}
	return true;
}

/* All hooks are unregistered; waits for packets that are passing them. */
static void gs_nf_free(void)
{
	synchronize_rcu();
	kvfree(gs_nf_ops);
	kvfree(gs_nf_hits);
	gs_nf_ops = NULL;
	gs_nf_hits = NULL;
	gs_nf_count = 0;
}

static int gs_nf_arm(const struct gs_point **points, u32 n)
{
	u32 i;
	int err;

	gs_nf_ops = kvcalloc(n, sizeof(*gs_nf_ops), GFP_KERNEL);
	gs_nf_hits = kvcalloc(n, sizeof(*gs_nf_hits), GFP_KERNEL);
	if (!gs_nf_ops || !gs_nf_hits) {
		gs_nf_free();
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		const struct gs_point *p = points[i];
		struct nf_hook_ops *ops = &gs_nf_ops[gs_nf_count];

		if (!gs_nf_supported(p)) {
			gs_unarmed(p, -EOPNOTSUPP);
			continue;
		}
		gs_nf_hits[gs_nf_count] = gs_hit_of(p);
		ops->hook = gs_nf_hit;
		ops->priv = &gs_nf_hits[gs_nf_count++];
		ops->pf = p->args[0] >> 8;
		ops->hooknum = p->args[0] & 0xff;
		ops->priority = p->args[1];
	}
	if (!gs_nf_count) {
		gs_nf_free();
		return 0;
	}
	err = register_pernet_subsys(&gs_nf_nets);
	if (err) {
		gs_nf_free();
		return err;
	}
	WRITE_ONCE(gs_nf_late, true);
	for (i = 0; gs_nf_err && i < gs_nf_count; i++)
		gs_unarmed(gs_nf_hits[i].point, gs_nf_err);
	return 0;
}

static void gs_nf_disarm(void)
{
	if (!gs_nf_count)
		return;
	unregister_pernet_subsys(&gs_nf_nets);
	gs_nf_free();
}

#else
static int gs_nf_arm(const struct gs_point **points, u32 n)
{
	while (n--)
		gs_unarmed(points[n], -EOPNOTSUPP);
	return 0;
}

static void gs_nf_disarm(void)
{
}
#endif

static const struct gs_family gs_family_netfilter = { .name = "netfilter", .arm = gs_nf_arm, .disarm = gs_nf_disarm };
