// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * command.c - START and STOP, by a file of their own. They take as long as
 * what they run and arm, hold up nobody else, and run begin, end and error
 * probes as the process that asks for them.
 */
#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "internal.h"

static struct dentry *gs_command_file;

static int gs_command_open(struct inode *inode, struct file *file)
{
	return capable(CAP_SYS_ADMIN) ? nonseekable_open(inode, file) : -EPERM;
}

/* What begin probes said comes before the answer. */
static long gs_command_start(const void __user *arg)
{
	struct gs_start how;
	int err;

	if (!capable(CAP_SYS_MODULE))
		return -EPERM;
	if (copy_from_user(&how, arg, sizeof(how)))
		return -EFAULT;
	if (how.pad || how.flags & ~(GS_F_OVERWRITE | GS_F_DETACHED))
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
	}
	return -ENOTTY;
}

static const struct file_operations gs_command_operations = {
	.owner = THIS_MODULE,
	.open = gs_command_open,
	.unlocked_ioctl = gs_command_ioctl,
};

/* "Unsafe" as in transport.c: an open file holds the module. */
int gs_commands_init(void)
{
	gs_command_file = debugfs_create_file_unsafe("control", 0600, gs_transport_dir(), NULL, &gs_command_operations);
	return PTR_ERR_OR_ZERO(gs_command_file);
}

void gs_commands_free(void)
{
	debugfs_remove(gs_command_file);
}
