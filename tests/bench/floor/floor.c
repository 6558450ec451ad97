// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lower bound of gostap's costs: hand-written code that counts the calls
 * of vfs_read, by ftrace, a kprobe, or a kretprobe (parameter `how`).
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char *how = "ftrace";
module_param(how, charp, 0400);

static DEFINE_PER_CPU(unsigned long, hits);

static void notrace on_ftrace(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	this_cpu_inc(hits);
}

static int on_kprobe(struct kprobe *p, struct pt_regs *regs)
{
	this_cpu_inc(hits);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	this_cpu_inc(hits);
	return 0;
}

static struct ftrace_ops ops = { .func = on_ftrace };
static struct kprobe kp = { .symbol_name = "vfs_read", .pre_handler = on_kprobe };
static struct kretprobe rp = { .kp.symbol_name = "vfs_read", .handler = on_return };

static int __init floor_init(void)
{
	int err;

	if (!strcmp(how, "kprobe"))
		return register_kprobe(&kp);
	if (!strcmp(how, "kretprobe"))
		return register_kretprobe(&rp);
	err = ftrace_set_filter(&ops, (unsigned char *)"vfs_read", strlen("vfs_read"), 1);
	return err ? err : register_ftrace_function(&ops);
}

static void __exit floor_exit(void)
{
	unsigned long sum = 0;
	int cpu;

	if (!strcmp(how, "kprobe"))
		unregister_kprobe(&kp);
	else if (!strcmp(how, "kretprobe"))
		unregister_kretprobe(&rp);
	else
		unregister_ftrace_function(&ops);
	for_each_possible_cpu(cpu)
		sum += per_cpu(hits, cpu);
	pr_info("floor: %s: %lu hits\n", how, sum);
}

module_init(floor_init);
module_exit(floor_exit);
MODULE_LICENSE("GPL");
