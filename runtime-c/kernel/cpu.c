// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpu.c - the data of each CPU. Its context exists as long as the module; the
 * memory that handlers need is allocated by START for the CPUs that are online,
 * and for others when they come online, before they run anything. Until then,
 * and if there is no memory, the context counts as taken, so that no handler
 * runs on that CPU.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/slab.h>

#include "dispatch.h"

struct gs_cpu __percpu *gs_cpus;
static int gs_cpus_hotplug;		/* the hotplug state; 0: none */
static bool gs_cpus_late;		/* START is over: a CPU without memory comes online all the same */

int gs_cpus_init(void)
{
	int cpu;

	gs_cpus = alloc_percpu(struct gs_cpu);
	if (!gs_cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct gs_ctx *c = &per_cpu_ptr(gs_cpus, cpu)->ctx;

		c->cpu = cpu;
		c->busy += GS_TAKE;
	}
	return 0;
}

/* Behind the frame, tokenize() keeps its string. */
static size_t gs_frame_bytes(void)
{
	return gs_program.frame_size + MAXSTRINGLEN;
}

u64 gs_cpus_size(void)
{
	return gs_arrays_size(num_online_cpus()) + num_online_cpus() * (gs_frame_bytes() + gs_known_ustacks_size());
}

static int gs_cpu_prepare(unsigned int cpu)
{
	struct gs_cpu *me = per_cpu_ptr(gs_cpus, cpu);
	char *frame;

	if (me->frame)
		return 0;
	frame = gs_arrays_init_cpu(cpu) ? NULL : gs_alloc(gs_frame_bytes(), cpu);
	if (!frame)
		return gs_cpus_late ? 0 : -ENOMEM;
	me->frame = me->ctx.frame = frame;
	gs_known_ustacks_init(cpu);
	me->ctx.frame_end = frame + gs_program.frame_size;
	/* Handlers, which may run on it now, see its memory. */
	smp_store_release(&me->ctx.busy, me->ctx.busy - GS_TAKE);
	return 0;
}

/*
 * Before 6.8 the kernel does not call back for the CPUs that are online when a
 * state of this kind is set up, so that is done here. If all dynamic states are
 * in use, memory is allocated for all possible CPUs now.
 */
int gs_cpus_start(void)
{
	int cpu, err = 0, state;

	cpus_read_lock();
	state = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_BP_PREPARE_DYN, "gostap:session", gs_cpu_prepare, NULL);
	if (state >= 0)
		gs_cpus_hotplug = state;
	else if (state != -ENOSPC)
		err = state;
	for_each_possible_cpu(cpu)
		if (!err && (state < 0 || cpu_online(cpu)))
			err = gs_cpu_prepare(cpu);
	gs_cpus_late = true;
	cpus_read_unlock();
	return err;
}

void gs_cpus_stop(void)
{
	if (gs_cpus_hotplug)
		cpuhp_remove_state_nocalls(gs_cpus_hotplug);
	gs_cpus_hotplug = 0;
}

void gs_cpus_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		gs_free(per_cpu_ptr(gs_cpus, cpu)->known_ustacks);
		gs_free(per_cpu_ptr(gs_cpus, cpu)->frame);
	}
	free_percpu(gs_cpus);
}

/* For handlers that run one by one while nothing is armed: this CPU's, or another's if this one has no memory. */
struct gs_ctx *gs_idle_ctx(void)
{
	struct gs_cpu *me = this_cpu_ptr(gs_cpus);
	int cpu;

	for_each_possible_cpu(cpu) {
		if (me->frame)
			break;
		me = per_cpu_ptr(gs_cpus, cpu);
	}
	return &me->ctx;
}

gs_u32 gs_ncpus(void)
{
	return nr_cpu_ids;
}
