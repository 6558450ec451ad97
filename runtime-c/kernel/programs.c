// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * programs.c - the files of programs and libraries with probe points. The consumer
 * opens them, so that their paths are those of its mount namespace; they stay
 * open until the session's end, so that their inodes stay valid.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "internal.h"

static struct file **gs_program_files;	/* by image; NULL for those that are no programs */

/* Of an overlay's file, uprobes need the inode of the underlying file system. */
static struct inode *gs_real_inode(const struct file *f)
{
	return d_real_inode(f->f_path.dentry);
}

/**
 * gs_programs_open() - takes references to the files of START
 * @fds: one for each image, -1 for those that have no file
 *
 * Context: A task that may sleep, with gs_session_mutex held.
 * Return: 0, or -errno.
 */
int gs_programs_open(const int __user *fds)
{
	u32 i;
	int fd;

	lockdep_assert_held(&gs_session_mutex);
	gs_program_files = kvcalloc(gs_program.nimages, sizeof(*gs_program_files), GFP_KERNEL);
	if (!gs_program_files)
		return -ENOMEM;
	for (i = 0; i < gs_program.nimages; i++) {
		if (!gs_program.images[i].path[0])
			continue;
		if (get_user(fd, fds + i))
			return -EFAULT;
		if (fd < 0)
			continue;
		gs_program_files[i] = fget(fd);
		if (!gs_program_files[i])
			return -EBADF;
	}
	return 0;
}

void gs_programs_close(void)
{
	u32 i;

	for (i = 0; gs_program_files && i < gs_program.nimages; i++)
		if (gs_program_files[i])
			fput(gs_program_files[i]);
	kvfree(gs_program_files);
}

/* Is it the path of an image, or its last part, if the image is known by that alone? */
static bool gs_is_path_of(const struct gs_image *im, const char *path)
{
	return !strcmp(im->path[0] == '/' ? path : kbasename(path), im->path);
}

/**
 * gs_programs_await() - takes the program that the current process begins to run for an image whose file did not exist
 *
 * Context: A task's, that may be atomic, but not under PREEMPT_RT, where no memory can be had there.
 */
void gs_programs_await(void)
{
	const char *path = NULL;
	char *buffer = NULL;
	struct file *exe;
	u32 i;

	rcu_read_lock();
	exe = current->mm ? rcu_dereference(current->mm->exe_file) : NULL;
	for (i = 0; exe && i < gs_program.nimages; i++) {
		if (!gs_program.images[i].path[0] || READ_ONCE(gs_program_files[i]))
			continue;
		if (!buffer) {
			buffer = kmalloc(PATH_MAX, GFP_ATOMIC | __GFP_NOWARN);
			path = buffer ? d_path(&exe->f_path, buffer, PATH_MAX) : ERR_PTR(-ENOMEM);
		}
		if (IS_ERR(path))
			break;
		/* The process keeps it, so that another reference can be taken. */
		if (gs_is_path_of(&gs_program.images[i], path) && !cmpxchg(&gs_program_files[i], NULL, exe))
			get_file(exe);
	}
	rcu_read_unlock();
	kfree(buffer);
}

struct inode *gs_program_inode(u32 image)
{
	return gs_program_files[image] ? gs_real_inode(gs_program_files[image]) : NULL;
}

/**
 * gs_runs_program() - does a task's process run an image?
 * @t: the current task, or one that is kept and locked by task_lock()
 * @image: its number; 0, the kernel, stands for any program
 *
 * Context: A task's, that may be atomic.
 */
bool gs_runs_program(const struct task_struct *t, u32 image)
{
	struct file *exe, *program;
	bool same = false;

	if (!image)
		return true;
	rcu_read_lock();
	exe = t->mm ? rcu_dereference(t->mm->exe_file) : NULL;
	program = READ_ONCE(gs_program_files[image]);
	if (exe && program)
		same = gs_real_inode(exe) == gs_real_inode(program);
	rcu_read_unlock();
	return same;
}

/* Is it the process of target(), or a descendant? */
static bool gs_in_target(const struct task_struct *t)
{
	bool found = !gs_target;

	rcu_read_lock();
	for (; !found && t->pid; t = rcu_dereference(t->real_parent))
		found = t->tgid == gs_target;
	rcu_read_unlock();
	return found;
}

/**
 * gs_is_process() - does a task belong to a process?
 * @t: the task
 * @pid: the consumer's id of the process; negative for the target's and its descendants
 *
 * Context: A task's, that may be atomic.
 */
bool gs_is_process(const struct task_struct *t, s64 pid)
{
	return pid < 0 ? gs_in_target(t) : pid == gs_consumer_pid(t);
}

/**
 * gs_may_probe() - may the session probe a task's process?
 * @t: the task
 *
 * Context: Any.
 * Return: false if the script was built with --privilege=stapusr and the process is another user's.
 */
bool gs_may_probe(const struct task_struct *t)
{
	return !gs_program.unprivileged || uid_eq(task_euid(t), gs_user);
}

int gs_is_myproc(void)
{
	return gs_may_probe(current);
}
