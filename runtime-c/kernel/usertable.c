// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usertable.c - the tables of images that the owner sends, at any time while a
 * session runs. They are checked once, here, so that handlers need not: rules
 * refer to existing registers, rows to existing rules, symbols to names.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "userimage.h"

static DEFINE_MUTEX(gs_tables_mutex);
static u64 gs_tables_size;		/* bytes of all tables */
static u64 gs_ntables;

u64 gs_tables_so_far(void)
{
	return smp_load_acquire(&gs_ntables);
}

static_assert(sizeof(struct gs_unwind_rule) == 44);

/* All parts are in one allocation, ordered by alignment. */
struct gs_table_layout {
	u64 offsets, rules, symbols, lines, rule_of, names, path, size;
};

static struct gs_table_layout gs_layout(const struct gs_image_table *a, u64 path_len)
{
	struct gs_table_layout l;

	l.offsets = sizeof(struct gs_table);
	l.rules = l.offsets + (u64)a->nrows * sizeof(u32);
	l.symbols = l.rules + (u64)a->nrules * sizeof(struct gs_unwind_rule);
	l.lines = l.symbols + (u64)a->nsymbols * sizeof(struct gs_image_symbol);
	l.rule_of = l.lines + (u64)a->nlines * sizeof(struct gs_image_line);
	l.names = l.rule_of + (u64)a->nrows * sizeof(u16);
	l.path = l.names + a->names_size;
	l.size = l.path + path_len + 1;
	return l;
}

static bool gs_register_exists(u8 reg)
{
	return reg < 16 || reg == GS_FROM_CFA;
}

static bool gs_table_makes_sense(const struct gs_table *t, u32 names_size)
{
	u32 i;

	for (i = 0; i < t->nrules; i++) {
		const struct gs_unwind_rule *r = &t->rules[i];

		if (r->cfa > GS_CFA_CGO || r->reg >= 16 || !gs_register_exists(r->ra_from) ||
		    !gs_register_exists(r->saved_from) || r->saved >= 1 << 6 || r->lost >= 1 << 6)
			return false;
	}
	for (i = 0; i < t->nrows; i++)
		if (t->rule_of[i] >= t->nrules)
			return false;
	if (names_size && t->names[names_size - 1])
		return false;
	for (i = 0; i < t->nsymbols; i++)
		if (t->symbols[i].name >= names_size)
			return false;
	for (i = 0; i < t->nlines; i++)
		if (t->lines[i].line && t->lines[i].file >= names_size)
			return false;
	return true;
}

static struct gs_table *gs_copy_table(const struct gs_image_table *a, const char *path)
{
	size_t path_len = strlen(path);
	struct gs_table_layout l = gs_layout(a, path_len);
	struct gs_table *t = kvmalloc(l.size, GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	void *base = t;

	if (!t)
		return ERR_PTR(-ENOMEM);
	*t = (struct gs_table){
		.nrows = a->nrows, .nrules = a->nrules, .nsymbols = a->nsymbols,
		.nlines = a->nlines, .path_len = path_len, .start = a->start,
		.offsets = base + l.offsets, .rules = base + l.rules, .symbols = base + l.symbols,
		.lines = base + l.lines, .rule_of = base + l.rule_of, .names = base + l.names, .path = base + l.path,
	};
	memcpy(t->path, path, path_len + 1);
	if (copy_from_user(t->offsets, u64_to_user_ptr(a->offsets), l.rules - l.offsets) ||
	    copy_from_user(t->rules, u64_to_user_ptr(a->rules), l.symbols - l.rules) ||
	    copy_from_user(t->symbols, u64_to_user_ptr(a->symbols), l.lines - l.symbols) ||
	    copy_from_user(t->lines, u64_to_user_ptr(a->lines), l.rule_of - l.lines) ||
	    copy_from_user(t->rule_of, u64_to_user_ptr(a->rule_of), l.names - l.rule_of) ||
	    copy_from_user(t->names, u64_to_user_ptr(a->names), l.path - l.names)) {
		kvfree(t);
		return ERR_PTR(-EFAULT);
	}
	if (!gs_table_makes_sense(t, a->names_size)) {
		kvfree(t);
		return ERR_PTR(-EINVAL);
	}
	return t;
}

static long gs_install_table(struct gs_image_slot *s, const struct gs_image_table *a, const char *path)
{
	u64 size = gs_layout(a, strlen(path)).size;
	struct gs_table *t;

	if (s->table)
		return -EEXIST;
	if (size > GS_TABLES_MAX - gs_tables_size)
		return -ENOSPC;
	t = gs_copy_table(a, path);
	if (IS_ERR(t))
		return PTR_ERR(t);
	gs_tables_size += size;
	smp_store_release(&s->table, t);
	smp_store_release(&gs_ntables, gs_ntables + 1);
	return 0;
}

/* The number of the image of a file descriptor. */
static long gs_number_of_fd(struct gs_image_table *a)
{
	struct file *file = fget(a->fd);

	if (!file)
		return -EBADF;
	a->image = S_ISREG(file_inode(file)->i_mode) ? gs_image_of_file(file) : GS_NO_IMAGE;
	fput(file);
	return a->image == GS_NO_IMAGE ? -ENOSPC : 0;
}

long gs_take_table(struct gs_image_table __user *arg)
{
	struct gs_image_table a;
	struct gs_image_slot *s;
	char *path;
	long err;

	if (!gs_program.user_stacks && !gs_program.kernel_lines)
		return -EOPNOTSUPP;
	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	if (!a.nrules || a.pad || a.start && a.image != GS_KERNEL)
		return -EINVAL;
	if (a.image == GS_NO_IMAGE) {
		err = gs_number_of_fd(&a);
		if (err)
			return err;
		if (put_user(a.image, &arg->image))
			return -EFAULT;
	}
	s = gs_image_slot(a.image);
	if (!s)
		return -ENOENT;
	path = strndup_user(u64_to_user_ptr(a.path), PATH_MAX);
	if (IS_ERR(path))
		return PTR_ERR(path);
	mutex_lock(&gs_tables_mutex);
	err = gs_install_table(s, &a, path);
	mutex_unlock(&gs_tables_mutex);
	kfree(path);
	return err;
}
