// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loadbias.c - where the current process has loaded a program or a library,
 * for variables of other images than the probed one. A search through the
 * mappings takes some hundred instructions for each, so the last result is
 * cached until the process unmaps something. Also the base of thread-local
 * variables, a register that the kernel does not use.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <asm/fsgsbase.h>

#include "userimage.h"

/* At most so many mappings are searched. */
#define GS_BIAS_MAPPINGS 4096

/* The mapping of a file's first page, NULL if there is none. mm is locked. */
static struct vm_area_struct *gs_first_page(struct mm_struct *mm, const struct inode *inode)
{
	struct vm_area_struct *vma;
	u64 addr = 0;
	u32 i;

	for (i = 0; i < GS_BIAS_MAPPINGS; i++) {
		vma = find_vma(mm, addr);
		if (!vma)
			return NULL;
		if (vma->vm_file && !vma->vm_pgoff && file_inode(vma->vm_file) == inode)
			return vma;
		addr = vma->vm_end;
	}
	return NULL;
}

static bool gs_same_bias(const struct gs_known_bias *a, const struct gs_known_bias *b)
{
	return a->mm == b->mm && a->started == b->started && a->executed == b->executed &&
	       a->unmapped == b->unmapped && a->image == b->image;
}

gs_u64 gs_thread_pointer(void)
{
	return x86_fsbase_read_cpu();
}

gs_u64 gs_load_bias(struct gs_ctx *c, gs_u32 image, gs_u64 first, const char *near)
{
	struct gs_known_bias *last = &container_of(c, struct gs_cpu, ctx)->known_bias, now;
	struct inode *inode = gs_program_inode(image);
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	if (!mm || current->flags & PF_KTHREAD || !inode) {
		gs_raise(c, "this is no process that has loaded it", near);
		return 0;
	}
	now = (struct gs_known_bias){
		.mm = mm, .started = current->group_leader->start_time, .executed = current->self_exec_id,
		.unmapped = atomic64_read(&mm->context.tlb_gen), .image = image,
	};
	if (gs_same_bias(&now, last))
		return last->bias;
	if (!gs_lock_mm(c, mm)) {
		gs_raise(c, "the process is changing its mappings", near);
		return 0;
	}
	vma = gs_first_page(mm, inode);
	if (vma)
		now.bias = vma->vm_start - first;
	gs_unlock_mm(c, mm);
	if (!vma) {
		gs_raise(c, "the process has not loaded it", near);
		return 0;
	}
	*last = now;
	return now.bias;
}
