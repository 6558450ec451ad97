// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control.c - the generic netlink family: who owns the session, the commands,
 * the messages to the owner.
 */
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>

#include "internal.h"

static char family[GENL_NAMSIZ];
module_param_string(family, family, sizeof(family), 0444);
MODULE_PARM_DESC(family, "name of the session's generic netlink family");

/* The owner: net is NULL if there is none. Written under gs_owner_mutex; the notifier only looks. */
static DEFINE_MUTEX(gs_owner_mutex);
static struct net *gs_owner_net;
static u32 gs_owner_portid;
static u32 gs_owner_pid;
static bool gs_detached;	/* the session outlives its owner */
static bool gs_recorder;	/* while it has none, the oldest is overwritten */
static struct work_struct gs_orphan_work;

static struct genl_family gs_genl;

static bool gs_is_owner(struct net *net, u32 portid)
{
	return READ_ONCE(gs_owner_net) == net && READ_ONCE(gs_owner_portid) == portid;
}

/* The sender becomes the owner, if there is no other. */
static int gs_own(const struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	int err = 0;

	mutex_lock(&gs_owner_mutex);
	if (!gs_owner_net) {
		WRITE_ONCE(gs_owner_portid, info->snd_portid);
		WRITE_ONCE(gs_owner_pid, task_tgid_vnr(current));
		WRITE_ONCE(gs_owner_net, get_net(net));
	} else if (!gs_is_owner(net, info->snd_portid)) {
		err = -EBUSY;
	}
	mutex_unlock(&gs_owner_mutex);
	return err;
}

/* The session has no owner any more. */
static void gs_disown(void)
{
	struct net *old;

	/* Before somebody else can attach. */
	if (gs_detached && gs_recorder)
		gs_overwrite(true);
	mutex_lock(&gs_owner_mutex);
	old = gs_owner_net;
	WRITE_ONCE(gs_owner_net, NULL);
	WRITE_ONCE(gs_owner_portid, 0);
	WRITE_ONCE(gs_owner_pid, 0);
	mutex_unlock(&gs_owner_mutex);
	if (old)
		put_net(old);
}

/* A socket has been closed. If it was the owner's, its session ends, however the owner died. */
static int gs_netlink_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct netlink_notify *n = data;

	if (event == NETLINK_URELEASE && n->protocol == NETLINK_GENERIC && gs_is_owner(n->net, n->portid))
		queue_work(gs_workqueue, &gs_orphan_work);
	return NOTIFY_DONE;
}

static struct notifier_block gs_netlink_notifier = { .notifier_call = gs_netlink_event };

static void gs_orphan(struct work_struct *work)
{
	gs_disown();
	if (!gs_detached)
		gs_session_stop();
}

/* Small, and sent by the work item: it may wait for memory. A session that can't say that it ends would not end. */
struct sk_buff *gs_control_message(u32 kind, const char *text, const char *near, const char *point)
{
	size_t size = 4 * NLA_HDRLEN + 8 + strlen(text) + strlen(near) + strlen(point) + 16;
	struct sk_buff *skb = genlmsg_new(size, GFP_KERNEL | __GFP_NOFAIL);
	void *head;

	if (!skb)
		return NULL;
	head = genlmsg_put(skb, 0, 0, &gs_genl, 0, GS_CMD_MESSAGE);
	if (!head || nla_put_u32(skb, GS_A_MSG_KIND, kind) || nla_put_string(skb, GS_A_TEXT, text) ||
	    nla_put_string(skb, GS_A_NEAR, near) || nla_put_string(skb, GS_A_POINT, point)) {
		nlmsg_free(skb);
		return NULL;
	}
	genlmsg_end(skb, head);
	return skb;
}

/* To the owner, if there is one. -EAGAIN if it has no room for it now. */
int gs_control_send(struct sk_buff *skb)
{
	int err = 0;

	if (!skb)
		return -EAGAIN;
	mutex_lock(&gs_owner_mutex);
	if (gs_owner_net)
		err = genlmsg_unicast(gs_owner_net, skb, gs_owner_portid);
	else
		nlmsg_free(skb);
	mutex_unlock(&gs_owner_mutex);
	return err == -EAGAIN ? err : 0;
}

/* An attribute of one number for each CPU; off is where it is in struct gs_cpu. */
static int gs_put_cpus(struct sk_buff *skb, int type, size_t off)
{
	struct nlattr *a = nla_reserve(skb, type, nr_cpu_ids * sizeof(u64));
	u64 *v;
	int cpu;

	if (!a)
		return -EMSGSIZE;
	v = nla_data(a);
	memset(v, 0, nr_cpu_ids * sizeof(u64));
	for_each_possible_cpu(cpu)
		v[cpu] = READ_ONCE(*(u64 *)((char *)per_cpu_ptr(gs_cpus, cpu) + off));
	return 0;
}

static int gs_put_stats(struct sk_buff *skb)
{
	u64 now, ns, skipped[GS_NSKIP] = {};

	gs_clock_pair(&now, &ns);
	gs_skips_so_far(skipped);
	if (nla_put_u64_64bit(skb, GS_A_CLOCK_NOW, now, 0) || nla_put_u64_64bit(skb, GS_A_CLOCK_NS, ns, 0) ||
	    nla_put_u32(skb, GS_A_CLOCK_KHZ, gs_clock_khz()) || nla_put_u32(skb, GS_A_STATE, READ_ONCE(gs_state)) ||
	    nla_put_u64_64bit(skb, GS_A_ERRORS, gs_errors_so_far(), 0) ||
	    nla_put(skb, GS_A_SKIPPED, sizeof(skipped), skipped) ||
	    nla_put_u32(skb, GS_A_UNARMED, gs_unarmed_points()) || nla_put_u32(skb, GS_A_OWNER, READ_ONCE(gs_owner_pid)))
		return -EMSGSIZE;
	return gs_put_cpus(skb, GS_A_LOST, offsetof(struct gs_cpu, lost)) ?:
	       gs_put_cpus(skb, GS_A_WRITTEN, offsetof(struct gs_cpu, written)) ?:
	       gs_put_cpus(skb, GS_A_OVERWRITTEN, offsetof(struct gs_cpu, overwritten)) ?:
	       gs_put_cpus(skb, GS_A_FIRST, offsetof(struct gs_cpu, first));
}

static int gs_answer(struct genl_info *info)
{
	struct sk_buff *skb = genlmsg_new(512 + 4 * nr_cpu_ids * sizeof(u64), GFP_KERNEL);
	void *head;

	if (!skb)
		return -ENOMEM;
	head = genlmsg_put_reply(skb, info, &gs_genl, 0, GS_CMD_STATS);
	if (!head || gs_put_stats(skb)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	/* Who has no room for the answer, for all the messages, has had the command carried out, and asks again. */
	genlmsg_reply(skb, info);
	return 0;
}

/* Why the sender may not have its command: 0 if it may. */
static int gs_refused(struct sk_buff *skb)
{
	return netlink_capable(skb, CAP_SYS_ADMIN) ? 0 : -EPERM;
}

static int gs_cmd_start(struct sk_buff *skb, struct genl_info *info)
{
	static atomic_t started = ATOMIC_INIT(0);
	struct nlattr **a = info->attrs;
	u32 flags = a[GS_A_FLAGS] ? nla_get_u32(a[GS_A_FLAGS]) : 0;
	struct gs_start how = {
		.nlh = info->nlhdr,
		.target = a[GS_A_TARGET] ? nla_get_s64(a[GS_A_TARGET]) : 0,
	};
	int err = gs_refused(skb);

	if (err)
		return err;
	/* The first has it, also of two at once. */
	if (atomic_xchg(&started, 1))
		return -EBUSY;
	gs_recorder = flags & GS_F_OVERWRITE;
	gs_detached = flags & GS_F_DETACHED;
	if (gs_recorder)
		gs_overwrite(true);
	err = gs_own(info) ?: gs_session_start(&how);
	if (err == -EAGAIN)
		atomic_set(&started, 0);
	if (err)
		return err;
	/* What begin probes said comes before the answer. */
	gs_messages_flush();
	return gs_answer(info);
}

static int gs_cmd_stop(struct sk_buff *skb, struct genl_info *info)
{
	int err = gs_refused(skb);

	if (err)
		return err;
	gs_session_stop();
	if (!gs_is_owner(genl_info_net(info), info->snd_portid))
		gs_message_exit();
	gs_messages_flush();
	return gs_answer(info);
}

static int gs_cmd_stats(struct sk_buff *skb, struct genl_info *info)
{
	return gs_refused(skb) ?: gs_answer(info);
}

static int gs_cmd_attach(struct sk_buff *skb, struct genl_info *info)
{
	int err = gs_refused(skb);

	if (err)
		return err;
	/* The last owner may have just died. */
	flush_work(&gs_orphan_work);
	err = gs_own(info);
	if (err)
		return err;
	gs_overwrite(false);
	/* It may have wanted to end while there was nobody to be told. */
	if (READ_ONCE(gs_state) == GS_STATE_EXITING || READ_ONCE(gs_state) == GS_STATE_FAILED)
		gs_message_exit();
	return gs_answer(info);
}

static int gs_cmd_detach(struct sk_buff *skb, struct genl_info *info)
{
	int err = gs_refused(skb);

	if (err)
		return err;
	if (!gs_is_owner(genl_info_net(info), info->snd_portid))
		return -EPERM;
	gs_detached = true;
	gs_disown();
	return gs_answer(info);
}

static const struct nla_policy gs_policy[] = {
	[GS_A_ADDRS] = { .type = NLA_BINARY },
	[GS_A_TARGET] = { .type = NLA_S64 },
	[GS_A_GLOBAL] = { .type = NLA_NUL_STRING },
	[GS_A_FLAGS] = { .type = NLA_U32 },
};

static const struct genl_small_ops gs_ops[] = {
	{ .cmd = GS_CMD_START, .doit = gs_cmd_start },
	{ .cmd = GS_CMD_STOP, .doit = gs_cmd_stop },
	{ .cmd = GS_CMD_STATS, .doit = gs_cmd_stats },
	{ .cmd = GS_CMD_ATTACH, .doit = gs_cmd_attach },
	{ .cmd = GS_CMD_DETACH, .doit = gs_cmd_detach },
};

static struct genl_family gs_genl = {
	.version = 1,
	.maxattr = ARRAY_SIZE(gs_policy) - 1,
	.policy = gs_policy,
	.small_ops = gs_ops,
	.n_small_ops = ARRAY_SIZE(gs_ops),
	.resv_start_op = GS_CMD_DETACH + 1,
	.netnsok = true,
	/* START and STOP take long; the session has a mutex of its own. */
	.parallel_ops = true,
	.module = THIS_MODULE,
};

int gs_control_init(void)
{
	int err;

	INIT_WORK(&gs_orphan_work, gs_orphan);
	/* Loaded by hand, it is named as the module. */
	strscpy(gs_genl.name, family[0] ? family : THIS_MODULE->name, sizeof(gs_genl.name));
	err = netlink_register_notifier(&gs_netlink_notifier);
	if (err)
		return err;
	err = genl_register_family(&gs_genl);
	if (err)
		netlink_unregister_notifier(&gs_netlink_notifier);
	return err;
}

/* No command runs and no message is sent any more when it returns. */
void gs_control_free(void)
{
	genl_unregister_family(&gs_genl);
	netlink_unregister_notifier(&gs_netlink_notifier);
	cancel_work_sync(&gs_orphan_work);
	gs_disown();
}
