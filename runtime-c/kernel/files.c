// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * files.c - the module's folder /proc/gostap-MODULE, and in it each CPU's
 * buffer as a file that can be mapped. It is in procfs because a kernel under
 * lockdown refuses mappable files in debugfs.
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
 * The file's mode is not enough: a user without capabilities may still have uid
 * 0. An open file, and so a mapping, holds a reference to the module.
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

/* All pages are mapped at once: a fault handler would be called after rmmod -f has removed the module. */
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
 * Each module has a directory of its own, as procfs has no way to find one that
 * another module has created. CPUs that are not online yet have files, too.
 * gives handles the ioctls of these files.
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
