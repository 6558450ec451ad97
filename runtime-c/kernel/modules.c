// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * modules.c - modules with probe points that are loaded and unloaded while the
 * session runs. When one is loaded, before its first instruction, its symbols
 * are looked up and its points armed; when it is unloaded, they are disarmed.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>

#include "internal.h"

static void (*gs_module_changes)(const struct module *mod);

/* By gs_program.module_symbols: the address since a module was loaded or unloaded, for which START's may be outdated. */
#define GS_UNCHANGED U64_MAX
static u64 *gs_module_addrs;

/* The first of gs_program.module_symbols that is not before this one, by image and name. */
static u32 gs_module_symbol_at(u32 image, const char *name)
{
	u32 low = 0, high = gs_program.nmodule_symbols;

	while (low < high) {
		u32 middle = (low + high) / 2;
		const struct gs_module_symbol *s = &gs_program.module_symbols[middle];

		if (s->image < image || (s->image == image && strcmp(s->name, name) < 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Is any symbol of the module known? */
static bool gs_module_loaded(u32 image)
{
	u32 i, end = gs_module_symbol_at(image + 1, "");

	lockdep_assert_held(&gs_session_mutex);
	for (i = gs_module_symbol_at(image, ""); i < end; i++)
		if (gs_symbols[gs_program.module_symbols[i].symbol])
			return true;
	return false;
}

bool gs_awaits_module(const struct gs_point *p)
{
	return gs_module_of(p)[0] && !gs_point_addr(p) && !gs_module_loaded(p->image);
}

void gs_await_modules(void)
{
	const char *last = "";
	char text[128];
	u32 i;

	for (i = 0; i < gs_program.npoints; i++) {
		const struct gs_point *p = &gs_program.points[i];

		if (!gs_awaits_module(p) || !strcmp(gs_module_of(p), last))
			continue;
		last = gs_module_of(p);
		snprintf(text, sizeof(text), "module %s is not loaded: its probes are armed when it is", last);
		gs_message(GS_MSG_WARNING, text, strlen(text), NULL, NULL);
	}
}

/**
 * gs_image_of() - the next image of a module; it has one for each of its files that probe points were found in
 * @mod: the module
 * @i: the first image that may be it
 *
 * Context: Any.
 * Return: an index into gs_program.images; GS_ALL_IMAGES: there is none any more.
 */
u32 gs_image_of(const struct module *mod, u32 i)
{
	for (; i < gs_program.nimages; i++)
		if (!strcmp(gs_program.images[i].module, mod->name))
			return i;
	return GS_ALL_IMAGES;
}

/* The address of a symbol, if it is the first of the module's with this name. */
static void gs_module_symbol(u32 image, const char *name, u64 addr)
{
	u32 i = gs_module_symbol_at(image, name);
	const struct gs_module_symbol *s = &gs_program.module_symbols[i];

	if (i < gs_program.nmodule_symbols && s->image == image && !gs_module_addrs[i] && !strcmp(s->name, name))
		gs_module_addrs[i] = addr;
}

/**
 * gs_resolve_module() - records the addresses of a module's symbols, for gs_correct_addrs()
 * @mod: the module; if it is being unloaded, its addresses become 0
 * @image: one of its images
 *
 * Context: The module notifiers', with gs_session_mutex held.
 */
void gs_resolve_module(const struct module *mod, u32 image)
{
	const struct mod_kallsyms *k = rcu_dereference_raw(mod->kallsyms);
	u32 end = gs_module_symbol_at(image + 1, ""), i;

	lockdep_assert_held(&gs_session_mutex);
	for (i = gs_module_symbol_at(image, ""); i < end; i++)
		gs_module_addrs[i] = 0;
	for (i = 0; mod->state == MODULE_STATE_COMING && i < k->num_symtab; i++)
		if (k->symtab[i].st_shndx != SHN_UNDEF)
			gs_module_symbol(image, k->strtab + k->symtab[i].st_name, k->symtab[i].st_value);
}

/**
 * gs_correct_addrs() - enters the addresses of modules that have been loaded or unloaded
 * @addrs: START's addresses, by the symbols' numbers
 *
 * Context: A task, with gs_session_mutex held.
 */
void gs_correct_addrs(u64 *addrs)
{
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	for (i = 0; i < gs_program.nmodule_symbols; i++)
		if (gs_module_addrs[i] != GS_UNCHANGED)
			WRITE_ONCE(addrs[gs_program.module_symbols[i].symbol], gs_module_addrs[i]);
}

static int gs_module_coming(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (state == MODULE_STATE_COMING && gs_image_of(mod, 0) != GS_ALL_IMAGES)
		gs_module_changes(mod);
	return NOTIFY_DONE;
}

static int gs_module_going(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (state == MODULE_STATE_GOING && gs_image_of(mod, 0) != GS_ALL_IMAGES)
		gs_module_changes(mod);
	return NOTIFY_DONE;
}

/* Called after all other notifiers when a module is loaded, and before them when it is unloaded. */
static struct notifier_block gs_coming = { .notifier_call = gs_module_coming, .priority = INT_MIN };
static struct notifier_block gs_going = { .notifier_call = gs_module_going, .priority = INT_MAX };

/*
 * changes is called for each module with points that is loaded or unloaded; it takes gs_session_mutex. Notifiers
 * are registered and unregistered without that, when the runtime's own module is loaded and unloaded.
 */
int gs_modules_init(void (*changes)(const struct module *mod))
{
	int err;

	gs_module_changes = changes;
	if (!gs_program.nmodule_symbols)
		return 0;
	gs_module_addrs = kvmalloc_array(gs_program.nmodule_symbols, sizeof(*gs_module_addrs), GFP_KERNEL);
	if (!gs_module_addrs)
		return -ENOMEM;
	memset(gs_module_addrs, 0xff, gs_program.nmodule_symbols * sizeof(*gs_module_addrs));
	err = register_module_notifier(&gs_coming);
	if (err)
		goto no_coming;
	err = register_module_notifier(&gs_going);
	if (err)
		goto no_going;
	return 0;
no_going:
	unregister_module_notifier(&gs_coming);
no_coming:
	kvfree(gs_module_addrs);
	return err;
}

void gs_modules_free(void)
{
	if (!gs_program.nmodule_symbols)
		return;
	unregister_module_notifier(&gs_going);
	unregister_module_notifier(&gs_coming);
	kvfree(gs_module_addrs);
}
