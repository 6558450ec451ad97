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
static u64 *gs_early_addrs;

/* Is any symbol of the module known? */
static bool gs_module_loaded(const char *name)
{
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	for (i = 0; i < gs_program.nmodule_symbols; i++) {
		const struct gs_module_symbol *s = &gs_program.module_symbols[i];

		if (gs_symbols[s->symbol] && !strcmp(gs_program.images[s->image].module, name))
			return true;
	}
	return false;
}

bool gs_awaits_module(const struct gs_point *p)
{
	const char *module = gs_module_of(p);

	return module[0] && !gs_point_addr(p) && !gs_module_loaded(module);
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

/* 0 if the module is being unloaded, or has no such symbol. */
static u64 gs_module_symbol_addr(const struct module *mod, const char *name)
{
	const struct mod_kallsyms *k = rcu_dereference_raw(mod->kallsyms);
	u32 i;

	for (i = 0; mod->state == MODULE_STATE_COMING && i < k->num_symtab; i++) {
		const Elf_Sym *sym = &k->symtab[i];

		if (sym->st_shndx != SHN_UNDEF && !strcmp(k->strtab + sym->st_name, name))
			return sym->st_value;
	}
	return 0;
}

/**
 * gs_resolve_module() - enters the addresses of a module's symbols
 * @mod: the module; if it is being unloaded, its addresses become 0
 * @addrs: the table of addresses, as gs_symbols
 *
 * Context: The module notifiers', with gs_session_mutex held.
 */
void gs_resolve_module(const struct module *mod, u64 *addrs)
{
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	for (i = 0; i < gs_program.nmodule_symbols; i++) {
		const struct gs_module_symbol *s = &gs_program.module_symbols[i];

		if (!strcmp(gs_program.images[s->image].module, mod->name))
			WRITE_ONCE(addrs[s->symbol], gs_module_symbol_addr(mod, s->name));
	}
}

void gs_resolve_early(const struct module *mod)
{
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	for (i = 0; i < gs_program.nmodule_symbols; i++) {
		const struct gs_module_symbol *s = &gs_program.module_symbols[i];

		if (!strcmp(gs_program.images[s->image].module, mod->name))
			gs_early_addrs[i] = gs_module_symbol_addr(mod, s->name);
	}
}

void gs_correct_addrs(u64 *addrs)
{
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	for (i = 0; i < gs_program.nmodule_symbols; i++)
		if (gs_early_addrs[i] != GS_UNCHANGED)
			addrs[gs_program.module_symbols[i].symbol] = gs_early_addrs[i];
}

static bool gs_has_points_in(const struct module *mod)
{
	u32 i;

	for (i = 0; i < gs_program.nmodule_symbols; i++)
		if (!strcmp(gs_program.images[gs_program.module_symbols[i].image].module, mod->name))
			return true;
	return false;
}

static int gs_module_coming(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (state == MODULE_STATE_COMING && gs_has_points_in(mod))
		gs_module_changes(mod);
	return NOTIFY_DONE;
}

static int gs_module_going(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (state == MODULE_STATE_GOING && gs_has_points_in(mod))
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
	gs_early_addrs = kvmalloc_array(gs_program.nmodule_symbols, sizeof(*gs_early_addrs), GFP_KERNEL);
	if (!gs_early_addrs)
		return -ENOMEM;
	memset(gs_early_addrs, 0xff, gs_program.nmodule_symbols * sizeof(*gs_early_addrs));
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
	kvfree(gs_early_addrs);
	return err;
}

void gs_modules_free(void)
{
	if (!gs_program.nmodule_symbols)
		return;
	unregister_module_notifier(&gs_going);
	unregister_module_notifier(&gs_coming);
	kvfree(gs_early_addrs);
}
