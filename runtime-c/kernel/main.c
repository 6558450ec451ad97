// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - module init and exit. Loading the module arms nothing: START does.
 */
#include <linux/workqueue.h>

#include "internal.h"

/* Sends messages, and stops a session whose owner has died. */
struct workqueue_struct *gs_workqueue;

static int __init gs_module_init(void)
{
	int err = -EINVAL;

	if (gs_program.abi != GS_ABI)
		return err;
	gs_clock_init();
	gs_workqueue = alloc_workqueue("%.23s", WQ_UNBOUND, 0, THIS_MODULE->name);
	if (!gs_workqueue)
		return -ENOMEM;
	gs_conditions_init(gs_session_update);
	err = gs_cpus_init();
	if (err)
		goto no_cpus;
	gs_loads_init();
	gs_signals_init();
	err = gs_images_init();
	if (err)
		goto no_images;
	err = gs_noted_init();
	if (err)
		goto no_noted;
	err = gs_messages_init(gs_control_send);
	if (err)
		goto no_messages;
	err = gs_transport_init();
	if (err)
		goto no_transport;
	err = gs_modules_init(gs_session_module);
	if (err)
		goto no_modules;
	err = gs_control_init();
	if (err)
		goto no_control;
	err = gs_commands_init();
	if (err)
		goto no_commands;
	return 0;
no_commands:
	gs_control_free();
no_control:
	gs_modules_free();
no_modules:
	gs_transport_free();
no_transport:
	gs_messages_free();
no_messages:
	gs_noted_free();
no_noted:
	gs_images_free();
no_images:
	gs_cpus_free();
no_cpus:
	destroy_workqueue(gs_workqueue);
	return err;
}

/* No file of the module is open here, except after rmmod -f; the session may be running then, and the owner is told. */
static void __exit gs_module_exit(void)
{
	gs_message_exit();
	gs_messages_flush();
	gs_commands_free();
	gs_control_free();
	gs_modules_free();
	gs_session_stop();
	gs_conditions_stop();
	gs_messages_free();
	destroy_workqueue(gs_workqueue);
	gs_session_free();
	gs_transport_free();
	gs_dispatch_free();
	gs_signals_free();
	gs_noted_free();
	gs_images_free();
	gs_cpus_free();
}

module_init(gs_module_init);
module_exit(gs_module_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("gostap session");
