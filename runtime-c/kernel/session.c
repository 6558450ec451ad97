// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session.c - a session's life, from START to STOP:
 *
 *	LOADED → STARTING → RUNNING → STOPPED
 *	             └─────────┴─→ EXITING or FAILED → STOPPED
 *
 * Handlers run in RUNNING alone, begin probes in STARTING; exit() and errors
 * lead to the side. gs_session_mutex is held by whoever starts or stops.
 */
#include <linux/mutex.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include "internal.h"

int gs_state = GS_STATE_LOADED;
bool gs_ending;
static bool gs_modules_changed;	/* a module with probed places came or went, since START was tried */
const gs_u64 *gs_symbols;
gs_s64 gs_target;

#define GS_NAMED 32	/* points that are named in warnings, of those that could not be armed */

static DEFINE_MUTEX(gs_session_mutex);
static u64 *gs_addrs;
static u32 gs_naddrs;
static u32 gs_nunarmed;
static const struct gs_point **gs_points;	/* families' points, each family's together */

u64 gs_point_addr(const struct gs_point *p)
{
	if (p->symbol >= gs_naddrs || !gs_symbols[p->symbol])
		return 0;
	return gs_symbols[p->symbol] + p->offset;
}

void gs_unarmed(const struct gs_point *p, int err)
{
	char text[64] = "the running kernel does not have it";

	/* The first are named, all are counted. */
	if (gs_nunarmed++ >= GS_NAMED)
		return;
	if (err == -ENOSPC)
		strscpy(text, "the processor's debug registers are in use", sizeof(text));
	else if (err != -ENOENT)
		snprintf(text, sizeof(text), "the kernel refuses a probe there (error %d)", -err);
	gs_message(GS_MSG_WARNING, text, strlen(text), NULL, p->name);
}

u32 gs_unarmed_points(void)
{
	return READ_ONCE(gs_nunarmed);
}

void gs_end_session(int to)
{
	int seen = READ_ONCE(gs_state);

	do {
		if (seen != GS_STATE_STARTING && seen != GS_STATE_RUNNING)
			return;
	} while (!try_cmpxchg(&gs_state, &seen, to));
	gs_message_exit();
}

void gs_exit(struct gs_ctx *c)
{
	gs_end_session(GS_STATE_EXITING);
}

/* The addresses of START; it may bring them in several attributes, as one holds 64 KiB. */
static int gs_take_addrs(const struct nlmsghdr *nlh)
{
	const struct nlattr *a;
	size_t size = 0;
	int rem;
	u32 i;

	nlmsg_for_each_attr(a, nlh, GENL_HDRLEN, rem)
		if (nla_type(a) == GS_A_ADDRS)
			size += nla_len(a);
	gs_naddrs = size / sizeof(u64);
	/* Handlers index it: whatever the script refers to is there, if only as 0. */
	for (i = 0; i < gs_program.npoints; i++)
		if (gs_program.points[i].symbol != GS_NO_SYMBOL)
			gs_naddrs = max(gs_naddrs, gs_program.points[i].symbol + 1);
	gs_addrs = kvcalloc(gs_naddrs + 1, sizeof(u64), GFP_KERNEL);
	if (!gs_addrs)
		return -ENOMEM;
	size = 0;
	nlmsg_for_each_attr(a, nlh, GENL_HDRLEN, rem) {
		if (nla_type(a) != GS_A_ADDRS)
			continue;
		memcpy((char *)gs_addrs + size, nla_data(a), nla_len(a));
		size += nla_len(a);
	}
	gs_symbols = gs_addrs;
	return 0;
}

static int gs_take_globals(const struct nlmsghdr *nlh)
{
	const struct nlattr *a;
	int rem;

	nlmsg_for_each_attr(a, nlh, GENL_HDRLEN, rem)
		if (nla_type(a) == GS_A_GLOBAL && gs_set_global(nla_data(a)))
			return -EINVAL;
	return 0;
}

/* The points of a family, in gs_points. */
static u32 gs_points_of(const struct gs_family *f)
{
	u32 i, n = 0;

	for (i = 0; i < gs_program.npoints; i++)
		if (!strcmp(gs_program.points[i].family, f->name) && !gs_awaits_module(&gs_program.points[i]))
			gs_points[n++] = &gs_program.points[i];
	return n;
}

static bool gs_has_family(const char *name)
{
	const struct gs_family *const *f;

	for (f = gs_families; *f; f++)
		if (!strcmp((*f)->name, name))
			return true;
	return false;
}

static void gs_run_begin(void)
{
	const struct gs_family *const *f;

	for (f = gs_families; *f; f++)
		if ((*f)->begin)
			(*f)->begin(gs_points, gs_points_of(*f));
}

/*
 * In reverse order, that is returns before entries: what was armed last runs
 * first, and on entry it finds where the function returns to, before return
 * probes put themselves there. .callee asks for that.
 */
static int gs_arm(void)
{
	const struct gs_family *const *f = gs_families;
	u32 i;
	int err;

	gs_await_modules();
	for (i = 0; i < gs_program.npoints; i++)
		if (!gs_has_family(gs_program.points[i].family))
			gs_unarmed(&gs_program.points[i], -EOPNOTSUPP);
	while (*f)
		f++;
	while (f-- != gs_families) {
		u32 n = (*f)->arm ? gs_points_of(*f) : 0;

		if (!n)
			continue;
		err = (*f)->arm(gs_points, n);
		if (err)
			return err;
	}
	return 0;
}

/* Last armed, first disarmed. */
static void gs_disarm(void)
{
	const struct gs_family *const *f;

	for (f = gs_families; *f; f++)
		if ((*f)->disarm)
			(*f)->disarm();
}

static int gs_module_point(const struct gs_family *f, const struct gs_point *p, bool coming)
{
	if (!coming) {
		if (f->disarm_one)
			f->disarm_one(p);
		return 0;
	}
	if (!gs_point_addr(p))
		gs_unarmed(p, -ENOENT);
	else if (!f->arm_one)
		gs_unarmed(p, -EOPNOTSUPP);
	else
		return f->arm_one(p);
	return 0;
}

/* The module's points are disarmed while their symbols still have addresses, and armed when they have. */
static void gs_module_points(const char *name, bool coming)
{
	const struct gs_family *const *f;
	u32 i;

	for (i = 0; i < gs_program.npoints; i++) {
		const struct gs_point *p = &gs_program.points[i];

		if (strcmp(p->module, name) || gs_awaits_module(p))
			continue;
		for (f = gs_families; *f; f++)
			if (!strcmp((*f)->name, p->family) && gs_module_point(*f, p, coming))
				gs_unarmed(p, -ENOMEM);
	}
}

void gs_session_module(const char *name, void (*resolve)(struct module *mod, u64 *addrs), struct module *mod)
{
	bool coming = mod->state == MODULE_STATE_COMING;

	mutex_lock(&gs_session_mutex);
	if (gs_state != GS_STATE_LOADED && gs_state != GS_STATE_STOPPED) {
		if (!coming)
			gs_module_points(name, false);
		resolve(mod, gs_addrs);
		if (coming)
			gs_module_points(name, true);
	}
	gs_modules_changed = true;
	mutex_unlock(&gs_session_mutex);
}

static void gs_run_end(bool failed)
{
	const struct gs_family *const *f;

	for (f = gs_families; *f; f++)
		if ((*f)->end)
			(*f)->end(gs_points, gs_points_of(*f), failed);
}

/* Memory is freed by gs_session_free(), with the module: a session starts once. */
static int gs_prepare(const struct gs_start *how)
{
	int err;

	gs_target = how->target;
	gs_points = kvcalloc(gs_program.npoints + 1, sizeof(*gs_points), GFP_KERNEL);
	if (!gs_points)
		return -ENOMEM;
	err = gs_take_addrs(how->nlh);
	if (err)
		return err;
	err = gs_dispatch_start();
	if (err)
		return err;
	err = gs_arrays_init();
	if (err)
		return err;
	err = gs_take_globals(how->nlh);
	if (err)
		return err;
	gs_conditions_start();
	return 0;
}

int gs_session_start(const struct gs_start *how)
{
	int err = -EBUSY, seen = GS_STATE_STARTING;

	mutex_lock(&gs_session_mutex);
	if (gs_state != GS_STATE_LOADED)
		goto out;
	/* The addresses may be of before that. */
	err = gs_modules_changed ? -EAGAIN : 0;
	gs_modules_changed = false;
	if (err)
		goto out;
	err = gs_prepare(how);
	if (err)
		goto failed;
	WRITE_ONCE(gs_state, GS_STATE_STARTING);
	gs_run_begin();
	if (READ_ONCE(gs_state) != GS_STATE_STARTING)
		goto out;
	err = gs_arm();
	if (err)
		goto disarm;
	/* Handlers have been hit until here, and did nothing. */
	try_cmpxchg(&gs_state, &seen, GS_STATE_RUNNING);
	goto out;
disarm:
	gs_disarm();
failed:
	WRITE_ONCE(gs_state, GS_STATE_STOPPED);
out:
	mutex_unlock(&gs_session_mutex);
	return err;
}

/* Whatever the state; a second time it does nothing. */
void gs_session_stop(void)
{
	int seen;

	mutex_lock(&gs_session_mutex);
	if (gs_state == GS_STATE_LOADED || gs_state == GS_STATE_STOPPED) {
		gs_state = GS_STATE_STOPPED;
		goto out;
	}
	seen = GS_STATE_RUNNING;
	try_cmpxchg(&gs_state, &seen, GS_STATE_EXITING);
	gs_disarm();
	gs_await_reader();
	WRITE_ONCE(gs_ending, true);
	gs_run_end(READ_ONCE(gs_state) == GS_STATE_FAILED);
	WRITE_ONCE(gs_state, GS_STATE_STOPPED);
out:
	mutex_unlock(&gs_session_mutex);
}

void gs_session_follow(void)
{
	const struct gs_family *const *f;

	mutex_lock(&gs_session_mutex);
	for (f = gs_families; READ_ONCE(gs_state) == GS_STATE_RUNNING && *f; f++)
		if ((*f)->follow)
			(*f)->follow();
	mutex_unlock(&gs_session_mutex);
}

/* After the stop, with the module. */
void gs_session_free(void)
{
	gs_arrays_fini();
	kvfree(gs_addrs);
	kvfree(gs_points);
}
