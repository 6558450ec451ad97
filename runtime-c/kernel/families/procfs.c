// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * procfs.c - files in /proc/systemtap/MODULE. args[0] is the file's mode, and
 * whether handlers run for reads or for writes; args[1] is the size of the buffer
 * for reads. A file may have several probes.
 *
 * A read at the file's beginning runs the handler; further reads continue in
 * the text that it has set, which each open file has for itself. After the
 * session's end, reads and writes fail with EIO; the files are removed with the
 * module. An open file does not hold a reference to the module, but a read or
 * write in progress does: it may wait for a page fault for any time, and STOP must
 * not wait for it.
 */
#include <linux/fs.h>
#include <linux/moduleparam.h>
#include <linux/namei.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../dispatch.h"

#define GS_PROCFS_READ (1 << 16)
#define GS_PROCFS_WRITE (1 << 17)
#define GS_PROCFS_MODE 0777

/* The folder that all sessions share, SystemTap's too. */
#define GS_PROCFS_DIR "systemtap"

static const struct gs_point **gs_procfs;	/* the points; those of a file need not be adjacent */
static u32 gs_procfs_count;
static struct proc_dir_entry *gs_procfs_dir;	/* the session's */

/* An open file. */
struct gs_procfs_open {
	const struct gs_point *first;	/* the first of the file's points, for its path */
	struct mutex lock;		/* for value */
	struct gs_value value;		/* the text for reads; NULL before the first read */
};

/* The next point of a file, from the i-th on, for reads or for writes; NULL if there is none. */
static const struct gs_point *gs_procfs_next(const char *file, u32 what, u32 *i)
{
	while (*i < gs_procfs_count) {
		const struct gs_point *p = gs_procfs[(*i)++];

		if (p->args[0] & what && !strcmp(p->file, file))
			return p;
	}
	return NULL;
}

/* Runs a handler. False if the session doesn't run, or if the handler ended with an error. */
static bool gs_procfs_run(const struct gs_point *p, struct gs_value *value)
{
	struct gs_hit hit = gs_hit_of(p);
	unsigned long flags = gs_irq_save(false);
	bool done;

	this_cpu_ptr(gs_cpus)->ctx.value = value;
	done = gs_try(&hit, NULL, 0, NULL);
	gs_irq_restore(flags, false);
	return done;
}

/* Runs the handler to set the file's text; of->lock is held. */
static int gs_procfs_fill(struct gs_procfs_open *of, const struct gs_point *p)
{
	struct gs_value *v = &of->value;

	if (!v->text) {
		v->size = p->args[1] ?: gs_program.limits.procfs_bufsize;
		v->text = kvzalloc(v->size, GFP_KERNEL_ACCOUNT);
		if (!v->text)
			return -ENOMEM;
	}
	v->len = 0;
	v->text[0] = 0;
	return gs_procfs_run(p, v) ? 0 : -EIO;
}

static ssize_t gs_procfs_give(struct gs_procfs_open *of, char __user *to, size_t n, loff_t *pos)
{
	const struct gs_point *p;
	ssize_t done = 0;
	u32 i = 0;

	p = gs_procfs_next(of->first->file, GS_PROCFS_READ, &i);
	if (!p)
		return -EINVAL;
	if (mutex_lock_interruptible(&of->lock))
		return -EINTR;
	if (!*pos || !of->value.text)
		done = gs_procfs_fill(of, p);
	if (!done)
		done = simple_read_from_buffer(to, n, pos, of->value.text, of->value.len);
	mutex_unlock(&of->lock);
	return done;
}

/* At most as much as a string holds: a longer write returns the shorter length, and the writer continues. */
static ssize_t gs_procfs_take(struct gs_procfs_open *of, const char __user *from, size_t n)
{
	struct gs_value v = { .size = MAXSTRINGLEN };
	const struct gs_point *p;
	bool done = true;
	u32 i = 0;

	n = min_t(size_t, n, MAXSTRINGLEN - 1);
	v.text = memdup_user_nul(from, n);
	if (IS_ERR(v.text))
		return PTR_ERR(v.text);
	v.len = strlen(v.text);
	while (done && (p = gs_procfs_next(of->first->file, GS_PROCFS_WRITE, &i)))
		done = gs_procfs_run(p, &v);
	kfree(v.text);
	return done ? n : -EIO;
}

static ssize_t gs_procfs_read(struct file *file, char __user *to, size_t n, loff_t *pos)
{
	ssize_t done;

	if (!try_module_get(THIS_MODULE))
		return -EIO;
	done = gs_procfs_give(file->private_data, to, n, pos);
	module_put(THIS_MODULE);
	return done;
}

static ssize_t gs_procfs_write(struct file *file, const char __user *from, size_t n, loff_t *pos)
{
	ssize_t done;

	if (!try_module_get(THIS_MODULE))
		return -EIO;
	done = gs_procfs_take(file->private_data, from, n);
	module_put(THIS_MODULE);
	return done;
}

static int gs_procfs_file_open(struct inode *inode, struct file *file)
{
	struct gs_procfs_open *of = kzalloc(sizeof(*of), GFP_KERNEL_ACCOUNT);
	u32 i = 0;

	if (!of)
		return -ENOMEM;
	of->first = pde_data(inode);
	mutex_init(&of->lock);
	file->private_data = of;
	/* root may open files regardless of their mode. */
	if (file->f_mode & FMODE_WRITE && !gs_procfs_next(of->first->file, GS_PROCFS_WRITE, &i)) {
		kfree(of);
		return -EACCES;
	}
	return 0;
}

static int gs_procfs_release(struct inode *inode, struct file *file)
{
	struct gs_procfs_open *of = file->private_data;

	kvfree(of->value.text);
	kfree(of);
	return 0;
}

static const struct proc_ops gs_procfs_operations = {
	.proc_open = gs_procfs_file_open,
	.proc_read = gs_procfs_read,
	.proc_write = gs_procfs_write,
	.proc_lseek = default_llseek,
	.proc_release = gs_procfs_release,
};

/*
 * Creates the session's folder. Whether the shared folder exists can only be found by its
 * path, and procfs warns if it is created twice. So sessions that start at the same time
 * exclude each other by a lock of the kernel that all modules can reach, that of the
 * parameters of built-in modules. The shared folder is never removed, as others may use it.
 */
static int gs_procfs_make_dir(void)
{
	char name[sizeof(GS_PROCFS_DIR "/") + MODULE_NAME_LEN];
	struct path path;
	bool there = true;

	snprintf(name, sizeof(name), GS_PROCFS_DIR "/%s", THIS_MODULE->name);
	kernel_param_lock(NULL);
	if (!kern_path("/proc/" GS_PROCFS_DIR, LOOKUP_FOLLOW, &path))
		path_put(&path);
	else
		there = proc_mkdir(GS_PROCFS_DIR, NULL);
	/* procfs warns of a missing folder. */
	gs_procfs_dir = there ? proc_mkdir(name, NULL) : NULL;
	kernel_param_unlock(NULL);
	return gs_procfs_dir ? 0 : -ENOMEM;
}

/* Does the path of one of the n first points begin with these characters, as a file or a folder? */
static bool gs_procfs_made(u32 n, const char *path, size_t len)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (!strncmp(gs_procfs[i]->file, path, len) && (!gs_procfs[i]->file[len] || gs_procfs[i]->file[len] == '/'))
			return true;
	return false;
}

/* The union of the modes of a file's points. */
static umode_t gs_procfs_mode(const char *file)
{
	const struct gs_point *p;
	umode_t mode = 0;
	u32 i = 0;

	while ((p = gs_procfs_next(file, GS_PROCFS_READ | GS_PROCFS_WRITE, &i)))
		mode |= p->args[0] & GS_PROCFS_MODE;
	return mode;
}

/* Creates the file of the i-th point, and its folders, if they don't exist. */
static int gs_procfs_make_file(u32 i)
{
	const char *file = gs_procfs[i]->file, *slash = file;
	char *folder;

	if (gs_procfs_made(i, file, strlen(file)))
		return 0;
	while ((slash = strchr(slash + 1, '/'))) {
		if (gs_procfs_made(i, file, slash - file))
			continue;
		folder = kstrndup(file, slash - file, GFP_KERNEL);
		if (!folder || !proc_mkdir(folder, gs_procfs_dir)) {
			kfree(folder);
			return -ENOMEM;
		}
		kfree(folder);
	}
	return proc_create_data(file, gs_procfs_mode(file), gs_procfs_dir, &gs_procfs_operations, (void *)gs_procfs[i]) ? 0 : -ENOMEM;
}

static int gs_procfs_arm(const struct gs_point **points, u32 n)
{
	int err;
	u32 i;

	gs_procfs = kvmalloc_array(n, sizeof(*gs_procfs), GFP_KERNEL);
	if (!gs_procfs)
		return -ENOMEM;
	memcpy(gs_procfs, points, n * sizeof(*gs_procfs));
	gs_procfs_count = n;
	err = gs_procfs_make_dir();
	for (i = 0; i < n && !err; i++)
		err = gs_procfs_make_file(i);
	return err;
}

/* The session doesn't run any more, so no handler begins. Waits for those that run. */
static void gs_procfs_disarm(void)
{
	if (gs_procfs_dir)
		synchronize_rcu();
}

static void gs_procfs_free(void)
{
	proc_remove(gs_procfs_dir);
	gs_procfs_dir = NULL;
	kvfree(gs_procfs);
	gs_procfs = NULL;
	gs_procfs_count = 0;
}

static const struct gs_family gs_family_procfs = { .name = "procfs", .arm = gs_procfs_arm, .disarm = gs_procfs_disarm, .free = gs_procfs_free };
