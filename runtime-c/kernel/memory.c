// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory.c - memory for the script's data. Its size is known before any of it is
 * allocated; if the machine has not that much to spare, the session is refused,
 * so that no other process is killed for a script's arrays.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "internal.h"

/* Fails instead of invoking the OOM killer. */
#define GS_GFP (GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

void *gs_alloc(gs_size size, int cpu)
{
	return kvmalloc_node(size, GS_GFP, cpu < 0 ? NUMA_NO_NODE : cpu_to_node(cpu));
}

void gs_free(void *p)
{
	kvfree(p);
}

static u64 gs_megabytes(u64 bytes)
{
	return DIV_ROUND_UP_ULL(bytes, 1 << 20);
}

bool gs_memory_allowed(u64 data, u64 buffers)
{
	u64 limit = gs_program.limits.maxmemory, left = si_mem_available() * (u64)PAGE_SIZE;
	char text[256];
	int n;

	if (limit ? data + buffers <= limit : data <= left / 2)
		return true;
	if (limit)
		n = scnprintf(text, sizeof(text),
			      "STP_MAXMEMORY exceeded: the script's data take %llu KiB on %u processors, and the buffers %llu KiB; raise it with -D STP_MAXMEMORY=%llu",
			      data >> 10, num_online_cpus(), buffers >> 10, ((data + buffers) >> 10) + 1);
	else
		n = scnprintf(text, sizeof(text),
			      "the script's data take %llu MB on %u processors, more than half of the %llu MB that this machine has left; make its arrays smaller, or allow it with -D STP_MAXMEMORY=%llu",
			      gs_megabytes(data), num_online_cpus(), left >> 20, (data + buffers) / 1000);
	gs_message(GS_MSG_ERROR, text, n, NULL, NULL);
	return false;
}
