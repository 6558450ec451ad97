// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * command.c - the ioctls of the file control: START and STOP, which arm probes
 * and run begin, end and error probes in the calling process, and so may take
 * long; images of programs and their tables; and a script's globals while it
 * runs. Generic netlink is not used for them, as it serves one command at a time.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "internal.h"

static struct proc_dir_entry *gs_command_file;

/* An open file holds the module, as in files.c. */
static int gs_command_open(struct inode *inode, struct file *file)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	return nonseekable_open(inode, file);
}

static int gs_command_release(struct inode *inode, struct file *file)
{
	module_put(THIS_MODULE);
	return 0;
}

/* Messages of begin probes are sent before the ioctl returns. */
static long gs_command_start(const void __user *arg)
{
	struct gs_start how;
	int err;

	if (!capable(CAP_SYS_MODULE))
		return -EPERM;
	if (copy_from_user(&how, arg, sizeof(how)))
		return -EFAULT;
	if (how.flags & ~(GS_F_OVERWRITE | GS_F_DETACHED))
		return -EINVAL;
	err = gs_session_start(&how);
	gs_messages_flush();
	return err;
}

static long gs_command_stop(void)
{
	gs_session_stop();
	if (!gs_control_owned_by(task_tgid_vnr(current)))
		gs_message_exit();
	gs_messages_flush();
	return 0;
}

static long gs_command_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case GS_IOC_START:
		return gs_command_start((const void __user *)arg);
	case GS_IOC_STOP:
		return gs_command_stop();
	case GS_IOC_IMAGE:
		return gs_next_image((void __user *)arg);
	case GS_IOC_TABLE:
		return gs_take_table((void __user *)arg);
	case GS_IOC_VIEW:
		return gs_view_read((void __user *)arg);
	case GS_IOC_RESET:
		return gs_view_reset();
	case GS_IOC_SWITCH:
		return gs_view_switch(arg >> 1, arg & 1);
	}
	return -ENOTTY;
}

static const struct proc_ops gs_command_operations = {
	.proc_open = gs_command_open,
	.proc_release = gs_command_release,
	.proc_ioctl = gs_command_ioctl,
};

int gs_commands_init(void)
{
	gs_command_file = proc_create("control", 0600, gs_files_dir(), &gs_command_operations);
	return gs_command_file ? 0 : -ENOMEM;
}

void gs_commands_free(void)
{
	proc_remove(gs_command_file);
}
