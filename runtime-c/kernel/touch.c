// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * touch.c - has memory of the probed program there before a handler, which
 * can't wait, loads it. To bring it the kernel may have to wait for a disk, but
 * also for a server, in user space or on the network, that may never answer,
 * while the probe can't be removed and the task not be killed. So memory is
 * asked for without waiting, again and again, for a second a page at most, and
 * what would make even that wait is left alone.
 */
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/userfaultfd_k.h>

#include "useraccess.h"

#define GS_TOUCH_WAIT HZ
#define GS_TOUCH_PAUSE (200 * NSEC_PER_USEC)

/* Is the page in the page cache, with its content? */
static bool gs_is_cached(struct vm_area_struct *vma, u64 addr)
{
	struct page *page = pagecache_get_page(vma->vm_file->f_mapping, linear_page_index(vma, addr), 0, 0);
	bool cached = page && PageUptodate(page);

	if (page)
		put_page(page);
	return cached;
}

/*
 * Does the kernel read the file without waiting if it is told so? It never
 * waits for a disk. Else it reads ahead without, if it reads ahead; FUSE's
 * servers can demand that it waits then, too. That of virtiofs is the machine's.
 */
static bool gs_reads_ahead(const struct vm_area_struct *vma)
{
	const struct inode *inode = file_inode(vma->vm_file);
	const struct super_block *sb = inode->i_sb;

	/* Shared memory has no server. */
	if (S_ISREG(inode->i_mode) && (sb->s_magic == TMPFS_MAGIC || sb->s_magic == HUGETLBFS_MAGIC))
		return true;
	if (sb->s_magic == FUSE_SUPER_MAGIC)
		return !strcmp(sb->s_type->name, "virtiofs");
	return sb->s_type->fs_flags & FS_REQUIRES_DEV || (vma->vm_file->f_ra.ra_pages && !(vma->vm_flags & VM_RAND_READ));
}

/* Asks the kernel for a page. 0: it isn't there yet; 1: it is there; -errno: it never is. The mappings are locked. */
static long gs_ask_for_page(struct mm_struct *mm, u64 addr)
{
	struct vm_area_struct *vma = find_vma(mm, addr);

	if (!vma || vma->vm_start > addr || userfaultfd_armed(vma))
		return -EFAULT;
	if (vma->vm_file && !gs_reads_ahead(vma) && !gs_is_cached(vma, addr))
		return -EFAULT;
	return gs_get_user_page(mm, addr, FOLL_NOWAIT | GS_FOLL_NUMA);
}

static void gs_bring_page(u64 addr)
{
	unsigned long end = jiffies + GS_TOUCH_WAIT;
	struct mm_struct *mm = current->mm;
	ktime_t pause = GS_TOUCH_PAUSE;

	while (time_before(jiffies, end) && !fatal_signal_pending(current) && READ_ONCE(gs_state) == GS_STATE_RUNNING) {
		long got = 0;

		if (mmap_read_trylock(mm)) {
			got = gs_ask_for_page(mm, addr);
			mmap_read_unlock(mm);
		}
		if (got)
			return;
		set_current_state(TASK_KILLABLE);
		schedule_hrtimeout(&pause, HRTIMER_MODE_REL);
	}
}

static noinline void gs_bring(u64 addr, size_t size)
{
	gs_bring_page(addr);
	if ((addr ^ (addr + size - 1)) & PAGE_MASK)
		gs_bring_page(addr + size - 1);
}

static __always_inline bool gs_load_present(u64 *value, u64 addr, size_t size)
{
	bool done;

	pagefault_disable();
	done = gs_get_user(value, addr, size);
	pagefault_enable();
	return done;
}

static __always_inline bool gs_load_touched(u64 *value, u64 addr, size_t size)
{
	if (likely(gs_load_present(value, addr, size)))
		return true;
	gs_bring(addr, size);
	return gs_load_present(value, addr, size);
}

gs_u64 gs_touch(gs_u64 addr, gs_u32 size)
{
	u64 value = 0;

	gs_load_touched(&value, addr, size);
	return value;
}

/* The page that a string begins in, and the next one if the string may extend into it. */
void gs_touch_string(gs_u64 addr)
{
	u64 last = addr + MAXSTRINGLEN - 1, byte;

	if (gs_load_touched(&byte, addr, 1) && (addr ^ last) & PAGE_MASK)
		gs_load_touched(&byte, last, 1);
}
