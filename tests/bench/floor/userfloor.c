// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lower bound of the costs of user probes: hand-written code that counts the
 * hits of an instruction of a program (parameters `path` and `offset`), or with
 * `returns` those of its function's returns.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/uprobes.h>

static char *path;
module_param(path, charp, 0400);
static ulong offset;
module_param(offset, ulong, 0400);
static bool returns;
module_param(returns, bool, 0400);

static DEFINE_PER_CPU(unsigned long, hits);
static struct path file;

static int on_hit(struct uprobe_consumer *self, struct pt_regs *regs)
{
	this_cpu_inc(hits);
	return 0;
}

static int on_return(struct uprobe_consumer *self, unsigned long func, struct pt_regs *regs)
{
	this_cpu_inc(hits);
	return 0;
}

static struct uprobe_consumer consumer;

static int __init floor_init(void)
{
	int err = kern_path(path, LOOKUP_FOLLOW, &file);

	if (err)
		return err;
	if (returns)
		consumer.ret_handler = on_return;
	else
		consumer.handler = on_hit;
	err = uprobe_register(d_real_inode(file.dentry), offset, &consumer);
	if (err)
		path_put(&file);
	return err;
}

static void __exit floor_exit(void)
{
	uprobe_unregister(d_real_inode(file.dentry), offset, &consumer);
	path_put(&file);
}

module_init(floor_init);
module_exit(floor_exit);
MODULE_LICENSE("GPL");
