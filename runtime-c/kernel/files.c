// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * files.c - the module's folder /proc/gostap-MODULE, and in it each CPU's
 * buffer, to be mapped. They are procfs's, as in debugfs a kernel that is locked
 * down refuses files that can be mapped.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

#include "internal.h"

static struct proc_dir_entry *gs_dir;
static gs_reader_ioctl *gs_reader_gives;

/*
 * The file's modes are not enough: a user who has no capabilities left may still
 * be called root. An open file, and so a mapping, holds the module.
 */
static int gs_file_open(struct inode *inode, struct file *file)
{
	struct gs_cpu *me = per_cpu_ptr(gs_cpus, (unsigned long)pde_data(inode));

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (!READ_ONCE(me->buf))	/* the CPU has not been online yet */
		return -ENXIO;
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	file->private_data = me;
	return nonseekable_open(inode, file);
}

static int gs_file_release(struct inode *inode, struct file *file)
{
	struct gs_cpu *me = file->private_data;

	cmpxchg(&me->reader, file, NULL);
	module_put(THIS_MODULE);
	return 0;
}

static __poll_t gs_file_poll(struct file *file, poll_table *wait)
{
	struct gs_cpu *me = file->private_data;

	poll_wait(file, &me->buf->read_wait, wait);
	return READ_ONCE(me->buf->subbufs_produced) != READ_ONCE(me->buf->subbufs_consumed) ? EPOLLIN | EPOLLRDNORM : 0;
}

static long gs_geometry(struct file *file, void __user *to)
{
	struct gs_cpu *me = file->private_data;
	struct file *reader = cmpxchg(&me->reader, NULL, file);
	struct gs_geometry g = {
		.size = gs_channel->subbuf_size,
		.n = gs_channel->n_subbufs,
		.consumed = me->buf->subbufs_consumed,
		.first = me->first,
	};

	if (reader && reader != file)
		return -EBUSY;
	return copy_to_user(to, &g, sizeof(g)) ? -EFAULT : 0;
}

static long gs_file_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct gs_cpu *me = file->private_data;

	if (cmd == GS_IOC_GEOMETRY)
		return gs_geometry(file, (void __user *)arg);
	if (READ_ONCE(me->reader) != file)
		return -EPERM;
	return gs_reader_gives(me, cmd, arg);
}

/* All pages at once: a mapping that faults would call us, and rmmod -f has us go before it does. */
static int gs_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct gs_cpu *me = file->private_data;

	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_clear(vma, VM_MAYWRITE);
	return vm_map_pages(vma, me->buf->page_array, me->buf->page_count);
}

static const struct proc_ops gs_file_operations = {
	.proc_open = gs_file_open,
	.proc_release = gs_file_release,
	.proc_poll = gs_file_poll,
	.proc_ioctl = gs_file_ioctl,
	.proc_mmap = gs_file_mmap,
};

/*
 * A directory of its own for each module: procfs can't tell one whether
 * another has made a common one. CPUs that may come have their files, too.
 * gives is called with what a CPU's reader says to its file.
 */
int gs_files_init(gs_reader_ioctl *gives)
{
	char name[sizeof("gostap-") + MODULE_NAME_LEN];
	unsigned long cpu;

	gs_reader_gives = gives;
	snprintf(name, sizeof(name), "gostap-%s", THIS_MODULE->name);
	gs_dir = proc_mkdir_mode(name, 0500, NULL);
	if (!gs_dir)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%lu", cpu);
		if (!proc_create_data(name, 0400, gs_dir, &gs_file_operations, (void *)cpu)) {
			proc_remove(gs_dir);
			return -ENOMEM;
		}
	}
	return 0;
}

void gs_files_free(void)
{
	proc_remove(gs_dir);
}

struct proc_dir_entry *gs_files_dir(void)
{
	return gs_dir;
}
