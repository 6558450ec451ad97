// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userimage.c - the files of machine code that processes map, called images. A
 * handler that finds a new one gives it a number and holds a reference to the
 * file; the owner gets a descriptor of it, even if the file's name is gone, and
 * sends a table of it (usertable.c). Handlers take no lock: slots are only added.
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "userimage.h"

#define GS_NIMAGES 4096
#define GS_HASH_BITS 13
#define GS_NHASH (1 << GS_HASH_BITS)

/* An entry of the hash table. key is written first, and once; number when the slot has its file. */
struct gs_image_hash {
	u64 key;			/* 0: free */
	u32 number;			/* of the slot; 0: none yet */
};

static struct gs_image_slot *gs_images;
static struct gs_image_hash *gs_images_by_key;
static atomic_t gs_nimages = ATOMIC_INIT(GS_KERNEL + 1);
static u64 gs_images_seed;
static DEFINE_MUTEX(gs_images_mutex);	/* for taking files from slots */

int gs_images_init(void)
{
	gs_mm_locks_init();
	if (!gs_program.user_stacks && !gs_program.kernel_lines)
		return 0;
	gs_images = kvcalloc(GS_NIMAGES, sizeof(*gs_images), GFP_KERNEL);
	gs_images_by_key = kvcalloc(GS_NHASH, sizeof(*gs_images_by_key), GFP_KERNEL);
	if (!gs_images || !gs_images_by_key) {
		kvfree(gs_images);
		kvfree(gs_images_by_key);
		return -ENOMEM;
	}
	gs_images_seed = get_random_u64();
	return 0;
}

/* No handler runs any more. */
void gs_images_free(void)
{
	u32 i;

	gs_mm_locks_free();
	if (!gs_images)
		return;
	for (i = 0; i < GS_NIMAGES; i++) {
		if (gs_images[i].file)
			fput(gs_images[i].file);
		kvfree(gs_images[i].table);
	}
	kvfree(gs_images);
	kvfree(gs_images_by_key);
}

static u32 gs_images_so_far(void)
{
	return min_t(u32, atomic_read(&gs_nimages), GS_NIMAGES);
}

struct gs_image_slot *gs_image_slot(u32 image)
{
	return gs_images && image < gs_images_so_far() ? &gs_images[image] : NULL;
}

/* Waits for the number: the CPU that has claimed the entry is about to write it, but may be stopped for long. */
static u32 gs_image_number(const struct gs_image_hash *h)
{
	u32 number, turns;

	for (turns = 0; turns < 1000; turns++) {
		number = smp_load_acquire(&h->number);
		if (number)
			return number;
		cpu_relax();
	}
	return GS_NO_IMAGE;
}

static u32 gs_new_image(struct gs_image_hash *h, struct file *file)
{
	u32 number = GS_NO_IMAGE;

	if (atomic_read(&gs_nimages) < GS_NIMAGES)
		number = atomic_inc_return(&gs_nimages) - 1;
	if (number < GS_NIMAGES) {
		smp_store_release(&gs_images[number].file, get_file(file));
		gs_message_images();
	} else {
		number = GS_NO_IMAGE;
	}
	smp_store_release(&h->number, number);
	return number;
}

/* The key of a file is its inode: a file that replaces it has another. */
static u32 gs_image_of_inode(const struct inode *inode, struct file *file)
{
	u64 key = gs_images_seed ^ inode->i_ino * GOLDEN_RATIO_64;
	u32 at, i;

	key = (key ^ inode->i_sb->s_dev) * GOLDEN_RATIO_64;
	key = (key ^ key >> 32 ^ inode->i_generation) * GOLDEN_RATIO_64 | 1;
	at = key >> (64 - GS_HASH_BITS);
	/* The table has room: at most GS_NIMAGES entries are in use, and those of files that found no slot. */
	for (i = 0; i < 64; i++) {
		struct gs_image_hash *h = &gs_images_by_key[(at + i) % GS_NHASH];
		u64 seen = READ_ONCE(h->key);

		if (!seen)
			seen = cmpxchg(&h->key, 0, key);
		if (!seen)
			return gs_new_image(h, file);
		if (seen == key)
			return gs_image_number(h);
	}
	return GS_NO_IMAGE;
}

/* For a file that was opened by name: of an overlay's file, the inode of the underlying file system, as in mappings. */
u32 gs_image_of_file(struct file *file)
{
	return gs_image_of_inode(d_real_inode(file->f_path.dentry), file);
}

bool gs_map(struct gs_mapping *m, struct mm_struct *mm, u64 addr)
{
	struct vm_area_struct *vma;

	if (addr - m->start < m->size)
		return true;
	vma = find_vma(mm, addr);
	if (!vma || vma->vm_start > addr)
		return false;
	*m = (struct gs_mapping){
		.start = vma->vm_start,
		.size = vma->vm_end - vma->vm_start,
		.image = GS_NO_IMAGE,
		.code = vma->vm_flags & VM_EXEC,
	};
	if (vma->vm_file) {
		m->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
		if (m->code)
			m->image = gs_image_of_inode(file_inode(vma->vm_file), vma->vm_file);
	} else if (vma->vm_start == (unsigned long)mm->context.vdso) {
		m->image = GS_VDSO;
	}
	return true;
}

/* Opens an image's file for the caller, though the process that mapped it may have ended. */
static int gs_open_image(struct gs_image_slot *s)
{
	struct file *file, *held = xchg(&s->file, NULL);
	int fd;

	if (!held)
		return -1;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd >= 0) {
		file = dentry_open(&held->f_path, O_RDONLY | O_LARGEFILE, current_cred());
		if (IS_ERR(file)) {
			put_unused_fd(fd);
			fd = -1;
		} else {
			fd_install(fd, file);
		}
	}
	fput(held);
	return fd < 0 ? -1 : fd;
}

long gs_next_image(struct gs_next_image __user *arg)
{
	struct gs_next_image next;
	struct gs_image_slot *s;
	struct gs_table *t;
	const char *path = "";
	size_t len = 1;

	if (!gs_images)
		return -EOPNOTSUPP;
	if (copy_from_user(&next, arg, sizeof(next)))
		return -EFAULT;
	s = gs_image_slot(next.image);
	if (next.pad)
		return -EINVAL;
	if (!s)
		return -ENOENT;
	t = smp_load_acquire(&s->table);
	if (t) {
		path = t->path;
		len = t->path_len + 1;
	}
	if (len > next.path_size)
		return -EINVAL;
	if (copy_to_user(u64_to_user_ptr(next.path), path, len))
		return -EFAULT;
	mutex_lock(&gs_images_mutex);
	next.fd = gs_open_image(s);
	mutex_unlock(&gs_images_mutex);
	return copy_to_user(arg, &next, sizeof(next)) ? -EFAULT : 0;
}
