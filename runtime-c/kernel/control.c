// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control.c - the generic netlink family: who owns the session, and the
 * messages to the owner. Generic netlink serves one
 * command at a time, system-wide, so nothing here takes long; START and STOP
 * are in command.c.
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

/* The owner: net is NULL if there is none. Written under gs_owner_mutex; the notifier only reads it. */
static DEFINE_MUTEX(gs_owner_mutex);
static struct net *gs_owner_net;
static u32 gs_owner_portid;
static u32 gs_owner_pid;
static u32 gs_owner_number;	/* owners so far */
static u32 gs_orphan_number;	/* the last owner whose socket has closed */
static bool gs_detached;	/* the session outlives its owner */
static struct work_struct gs_orphan_work;

static u64 gs_loaded_at;	/* ns of CLOCK_REALTIME */
static struct genl_family gs_genl;

static bool gs_is_owner(struct net *net, u32 portid)
{
	return READ_ONCE(gs_owner_net) == net && READ_ONCE(gs_owner_portid) == portid;
}

bool gs_control_owned_by(u32 pid)
{
	return READ_ONCE(gs_owner_pid) == pid;
}

static bool gs_outlives_owner(void)
{
	return READ_ONCE(gs_detached) || READ_ONCE(gs_flags) & GS_F_DETACHED;
}

/* The sender becomes the owner, if there is no other. */
static int gs_own(struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	int err = 0;

	mutex_lock(&gs_owner_mutex);
	if (!gs_owner_net) {
		WRITE_ONCE(gs_owner_portid, info->snd_portid);
		WRITE_ONCE(gs_owner_pid, task_tgid_vnr(current));
		WRITE_ONCE(gs_owner_number, gs_owner_number + 1);
		WRITE_ONCE(gs_owner_net, get_net(net));
	} else if (!gs_is_owner(net, info->snd_portid)) {
		err = -EBUSY;
	}
	mutex_unlock(&gs_owner_mutex);
	return err;
}

/* Removes the owner, if it is still that one. */
static bool gs_disown(u32 number)
{
	struct net *old = NULL;
	bool gone;

	mutex_lock(&gs_owner_mutex);
	gone = gs_owner_net && gs_owner_number == number;
	if (gone) {
		/* Before another consumer can attach. */
		if (gs_outlives_owner() && READ_ONCE(gs_flags) & GS_F_OVERWRITE)
			gs_overwrite(true);
		old = gs_owner_net;
		WRITE_ONCE(gs_owner_net, NULL);
		WRITE_ONCE(gs_owner_portid, 0);
		WRITE_ONCE(gs_owner_pid, 0);
	}
	mutex_unlock(&gs_owner_mutex);
	if (old)
		put_net(old);
	return gone;
}

/* A socket has been closed. If it was the owner's, the session ends: this covers an owner that was killed. */
static int gs_netlink_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct netlink_notify *n = data;

	if (event == NETLINK_URELEASE && n->protocol == NETLINK_GENERIC && gs_is_owner(n->net, n->portid)) {
		WRITE_ONCE(gs_orphan_number, READ_ONCE(gs_owner_number));
		queue_work(gs_workqueue, &gs_orphan_work);
	}
	return NOTIFY_DONE;
}

static struct notifier_block gs_netlink_notifier = { .notifier_call = gs_netlink_event };

static void gs_orphan(struct work_struct *work)
{
	if (gs_disown(READ_ONCE(gs_orphan_number)) && !gs_outlives_owner())
		gs_session_stop();
}

/* The message is small, and the work item may wait for memory. Without it the consumer would not learn of the session's end. */
static struct sk_buff *gs_new_message(u32 kind, const char *text, const char *near, const char *point)
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

/**
 * gs_control_send() - sends a message to the owner, if there is one
 * @kind: GS_MSG_*
 * @text: the message
 * @near: the place in the script; "": none
 * @point: the name of the probe point; "": none
 *
 * Context: A task that may sleep.
 * Return: 0, or -EAGAIN if the owner has no room for it now.
 */
int gs_control_send(u32 kind, const char *text, const char *near, const char *point)
{
	struct sk_buff *skb = gs_new_message(kind, text, near, point);
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
	    nla_put_u32(skb, GS_A_UNARMED, gs_unarmed_points()) || nla_put_u32(skb, GS_A_OWNER, READ_ONCE(gs_owner_pid)) ||
	    nla_put_u64_64bit(skb, GS_A_MEMORY, gs_cpus_size(), 0) || nla_put_u32(skb, GS_A_KPROBES, gs_kprobes_so_far()) ||
	    nla_put_u64_64bit(skb, GS_A_LOADED, gs_loaded_at, 0))
		return -EMSGSIZE;
	return gs_put_cpus(skb, GS_A_LOST, offsetof(struct gs_cpu, lost)) ?:
	       gs_put_cpus(skb, GS_A_WRITTEN, offsetof(struct gs_cpu, written)) ?:
	       gs_put_cpus(skb, GS_A_OVERWRITTEN, offsetof(struct gs_cpu, overwritten)) ?:
	       gs_put_cpus(skb, GS_A_FIRST, offsetof(struct gs_cpu, first));
}

static int gs_reply(struct genl_info *info)
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
	/* If messages have filled the sender's socket, the command is done but the reply is lost: the sender repeats the command. */
	genlmsg_reply(skb, info);
	return 0;
}

/* 0, or -errno if the sender may not give commands. */
static int gs_refused(struct sk_buff *skb)
{
	return netlink_capable(skb, CAP_SYS_ADMIN) ? 0 : -EPERM;
}

static int gs_cmd_stats(struct sk_buff *skb, struct genl_info *info)
{
	return gs_refused(skb) ?: gs_reply(info);
}

static int gs_cmd_attach(struct sk_buff *skb, struct genl_info *info)
{
	int err = gs_refused(skb);

	if (err)
		return err;
	/* The last owner may have died a moment ago, and the session be about to end. */
	if (work_busy(&gs_orphan_work))
		return -EAGAIN;
	err = gs_own(info);
	if (err)
		return err;
	gs_overwrite(false);
	/* The session may have requested its end while there was no owner. */
	if (READ_ONCE(gs_state) == GS_STATE_EXITING || READ_ONCE(gs_state) == GS_STATE_FAILED)
		gs_message_exit();
	return gs_reply(info);
}

static int gs_cmd_detach(struct sk_buff *skb, struct genl_info *info)
{
	int err = gs_refused(skb);

	if (err)
		return err;
	if (!gs_is_owner(genl_info_net(info), info->snd_portid))
		return -EPERM;
	WRITE_ONCE(gs_detached, true);
	gs_disown(READ_ONCE(gs_owner_number));
	return gs_reply(info);
}

static const struct genl_small_ops gs_ops[] = {
	{ .cmd = GS_CMD_STATS, .doit = gs_cmd_stats },
	{ .cmd = GS_CMD_ATTACH, .doit = gs_cmd_attach },
	{ .cmd = GS_CMD_DETACH, .doit = gs_cmd_detach },
};

static struct genl_family gs_genl = {
	.version = 1,
	.small_ops = gs_ops,
	.n_small_ops = ARRAY_SIZE(gs_ops),
	GS_RESV_START_OP(GS_CMD_DETACH + 1)
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
};

int gs_control_init(void)
{
	int err;

	gs_loaded_at = ktime_get_real_ns();
	INIT_WORK(&gs_orphan_work, gs_orphan);
	/* Without a parameter, when the module is loaded by hand, the family has the module's name. */
	strscpy(gs_genl.name, family[0] ? family : THIS_MODULE->name, sizeof(gs_genl.name));
	err = netlink_register_notifier(&gs_netlink_notifier);
	if (err)
		return err;
	err = genl_register_family(&gs_genl);
	if (err)
		netlink_unregister_notifier(&gs_netlink_notifier);
	return err;
}

/* When it returns, no command runs and no message is sent any more. */
void gs_control_free(void)
{
	genl_unregister_family(&gs_genl);
	netlink_unregister_notifier(&gs_netlink_notifier);
	cancel_work_sync(&gs_orphan_work);
	gs_disown(gs_owner_number);
}
