// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session.c - the states of a session, from START to STOP:
 *
 *	LOADED → STARTING → RUNNING → STOPPED
 *	             └─────────┴─→ EXITING or FAILED → STOPPED
 *
 * Handlers run in RUNNING only, begin probes in STARTING; exit() and errors
 * lead to EXITING and FAILED. While the session is stopped, waiting for a
 * reader holds gs_stop_mutex only: internal.h describes the locks.
 */
#include <linux/slab.h>

#include "internal.h"

static bool gs_armed;		/* something may be armed: gs_disarm() is needed */

static DEFINE_MUTEX(gs_stop_mutex);
static u64 *gs_addrs;		/* gs_program.nsymbols of them */
static const struct gs_point **gs_points;	/* families' points, each family's together */

static int gs_take_addrs(const struct gs_start *how)
{
	gs_addrs = vmemdup_user((const void __user *)(unsigned long)how->addrs, how->naddrs * sizeof(u64));
	if (IS_ERR(gs_addrs)) {
		int err = PTR_ERR(gs_addrs);

		gs_addrs = NULL;
		return err;
	}
	gs_correct_addrs(gs_addrs);
	gs_symbols = gs_addrs;
	return 0;
}

#define GS_GLOBALS_MAX (1 << 20)

static int gs_take_globals(const struct gs_start *how)
{
	char *text, *at, *end;
	int err = 0;

	if (!how->globals_size)
		return 0;
	if (how->globals_size > GS_GLOBALS_MAX)
		return -EINVAL;
	text = vmemdup_user((const void __user *)(unsigned long)how->globals, how->globals_size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	end = text + how->globals_size;
	if (end[-1])
		err = -EINVAL;
	for (at = text; !err && at < end; at += strlen(at) + 1)
		if (gs_set_global(at))
			err = -EINVAL;
	kvfree(text);
	return err;
}

/* The points of a family in an image, or in all, if they are there; in gs_points. */
static u32 gs_points_in(const struct gs_family *f, u32 image)
{
	u32 i, n = 0;

	lockdep_assert_held(&gs_session_mutex);
	for (i = 0; i < gs_program.npoints; i++) {
		const struct gs_point *p = &gs_program.points[i];

		if (gs_families_of[i] == f && gs_image_is(p->image, image) && !gs_awaits_module(p))
			gs_points[n++] = p;
	}
	return n;
}

static u32 gs_points_of(const struct gs_family *f)
{
	return gs_points_in(f, GS_ALL_IMAGES);
}

static void gs_run_begin(void)
{
	const struct gs_family *const *f;

	lockdep_assert_held(&gs_session_mutex);
	for (f = gs_families; *f; f++)
		if ((*f)->begin)
			(*f)->begin(gs_points, gs_points_of(*f));
}

/* 0 or -ENOMEM. */
static int gs_arm_family(const struct gs_family *f, u32 image)
{
	u32 i, n = f->arm ? gs_points_in(f, image) : 0;

	if (!n)
		return 0;
	if (image == GS_ALL_IMAGES || f->disarm_module)
		return f->arm(gs_points, n);
	for (i = 0; i < n; i++)
		gs_unarmed(gs_points[i], -EOPNOTSUPP);
	return 0;
}

/*
 * Arms the points in an image, or in all. In reverse order, that is returns before
 * entries: handlers of what was armed last run first, and so those at entries see
 * the return address before return probes replace it. .callee needs it.
 */
static int gs_arm_in(u32 image)
{
	const struct gs_family *const *f = gs_families;
	int err = 0;

	lockdep_assert_held(&gs_session_mutex);
	while (*f)
		f++;
	while (!err && f-- != gs_families)
		err = gs_arm_family(*f, image);
	return err;
}

static int gs_arm(void)
{
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	gs_armed = true;
	gs_await_modules();
	for (i = 0; i < gs_program.npoints; i++)
		if (!gs_families_of[i])
			gs_unarmed(&gs_program.points[i], -EOPNOTSUPP);
	return gs_arm_in(GS_ALL_IMAGES);
}

static void gs_say_running(void)
{
	const struct gs_family *const *f;

	lockdep_assert_held(&gs_session_mutex);
	for (f = gs_families; *f; f++)
		if ((*f)->running)
			(*f)->running();
}

/* In the reverse order of arming. */
static void gs_disarm(void)
{
	const struct gs_family *const *f;

	lockdep_assert_held(&gs_session_mutex);
	for (f = gs_families; gs_armed && *f; f++)
		if ((*f)->disarm)
			(*f)->disarm();
	gs_release_ftrace();
	gs_armed = false;
}

static void gs_disarm_module(u32 image)
{
	const struct gs_family *const *f;

	lockdep_assert_held(&gs_session_mutex);
	for (f = gs_families; *f; f++)
		if ((*f)->disarm_module)
			(*f)->disarm_module(image);
}

/* Without memory none of its points is armed: what a family has armed may be called by another's. */
static void gs_arm_module(u32 image)
{
	int err = gs_arm_in(image);
	u32 i;

	lockdep_assert_held(&gs_session_mutex);
	if (!err)
		return;
	gs_disarm_module(image);
	for (i = 0; i < gs_program.npoints; i++)
		if (gs_program.points[i].image == image)
			gs_unarmed(&gs_program.points[i], err);
}

/* Points are disarmed before their symbols lose their addresses, and armed after they have got them. */
static void gs_module_image(const struct module *mod, u32 image)
{
	bool coming = mod->state == MODULE_STATE_COMING;

	lockdep_assert_held(&gs_session_mutex);
	if (gs_armed && !coming)
		gs_disarm_module(image);
	gs_resolve_module(mod, image);
	if (!gs_armed)
		return;
	gs_correct_addrs(gs_addrs);
	if (coming && READ_ONCE(gs_state) == GS_STATE_RUNNING)
		gs_arm_module(image);
}

/**
 * gs_session_module() - arms or disarms the points in a module
 * @mod: the module, which is being loaded or unloaded
 *
 * Context: The module notifiers', in a task that may sleep.
 */
void gs_session_module(const struct module *mod)
{
	u32 i;

	mutex_lock(&gs_session_mutex);
	for (i = gs_image_of(mod, 0); i != GS_ALL_IMAGES; i = gs_image_of(mod, i + 1))
		gs_module_image(mod, i);
	mutex_unlock(&gs_session_mutex);
}

static void gs_run_end(bool failed)
{
	const struct gs_family *const *f;

	lockdep_assert_held(&gs_session_mutex);
	for (f = gs_families; *f; f++)
		if ((*f)->end)
			(*f)->end(gs_points, gs_points_of(*f), failed);
}

/* A session starts once. Its memory is freed when the module is unloaded. */
static int gs_prepare(const struct gs_start *how)
{
	int err;

	lockdep_assert_held(&gs_session_mutex);
	gs_pids_start();
	gs_target = gs_global_pid(how->target);
	if (how->target && !gs_target)
		return -ESRCH;
	gs_starter = current->tgid;
	gs_user = current_euid();
	WRITE_ONCE(gs_flags, how->flags);
	if (!gs_memory_allowed(gs_cpus_size(), gs_transport_size()))
		return -ENOMEM;
	gs_points = kvcalloc(gs_program.npoints + 1, sizeof(*gs_points), GFP_KERNEL);
	if (!gs_points)
		return -ENOMEM;
	err = gs_take_addrs(how);
	if (err)
		return err;
	err = gs_programs_open((const int __user *)(unsigned long)how->files);
	if (err)
		return err;
	err = gs_dispatch_start();
	if (err)
		return err;
	err = gs_arrays_init();
	if (err)
		return err;
	err = gs_cpus_start();
	if (err)
		return err;
	err = gs_take_globals(how);
	if (err)
		return err;
	gs_views_start();
	gs_overwrite(how->flags & GS_F_OVERWRITE);
	gs_conditions_start();
	return 0;
}

int gs_session_start(const struct gs_start *how)
{
	int err = -EBUSY, seen = GS_STATE_STARTING;

	/* Handlers index the addresses without a check, so there must be as many as the program has symbols. */
	if (how->naddrs != gs_program.nsymbols || how->nfiles != gs_program.nimages)
		return -EINVAL;
	mutex_lock(&gs_session_mutex);
	if (gs_state != GS_STATE_LOADED)
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
	/* Hits until now ran no handler. */
	if (try_cmpxchg(&gs_state, &seen, GS_STATE_RUNNING))
		gs_say_running();
	goto out;
disarm:
	gs_disarm();
failed:
	WRITE_ONCE(gs_state, GS_STATE_STOPPED);
out:
	mutex_unlock(&gs_session_mutex);
	return err;
}

/* When it returns, no handler runs and none begins. False if the session has not been started, or is stopped already. */
static bool gs_session_quiet(void)
{
	int seen = GS_STATE_RUNNING;
	bool any;

	mutex_lock(&gs_session_mutex);
	any = gs_state != GS_STATE_LOADED && gs_state != GS_STATE_STOPPED;
	if (!any)
		WRITE_ONCE(gs_state, GS_STATE_STOPPED);
	try_cmpxchg(&gs_state, &seen, GS_STATE_EXITING);
	gs_disarm();
	mutex_unlock(&gs_session_mutex);
	return any;
}

/* In any state; a second call does nothing. */
void gs_session_stop(void)
{
	mutex_lock(&gs_stop_mutex);
	if (!gs_session_quiet())
		goto out;
	/* Both wait for others, which may need gs_session_mutex. */
	gs_conditions_stop();
	gs_await_reader();
	mutex_lock(&gs_session_mutex);
	WRITE_ONCE(gs_ending, true);
	gs_run_end(READ_ONCE(gs_state) == GS_STATE_FAILED);
	WRITE_ONCE(gs_state, GS_STATE_STOPPED);
	mutex_unlock(&gs_session_mutex);
out:
	mutex_unlock(&gs_stop_mutex);
}

void gs_session_update(void)
{
	const struct gs_family *const *f;

	mutex_lock(&gs_session_mutex);
	for (f = gs_families; READ_ONCE(gs_state) == GS_STATE_RUNNING && *f; f++)
		if ((*f)->update)
			(*f)->update();
	mutex_unlock(&gs_session_mutex);
}

/* When the module is unloaded, after the stop. */
void gs_session_free(void)
{
	const struct gs_family *const *f;

	for (f = gs_families; *f; f++)
		if ((*f)->free)
			(*f)->free();
	gs_cpus_stop();
	gs_arrays_fini();
	gs_programs_close();
	gs_pids_stop();
	kvfree(gs_addrs);
	kvfree(gs_points);
}
