// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack.c - there is no kernel's stack here, and no kernel's symbol.
 */
#include "host.h"

int gs_is_return(struct gs_ctx *c)
{
	(void)c;
	return 0;
}

gs_u64 gs_probe_addr(struct gs_ctx *c)
{
	(void)c;
	return 0;
}

const gs_u64 *gs_stack(struct gs_ctx *c, gs_u32 max, gs_u32 *n)
{
	(void)c;
	(void)max;
	*n = 0;
	return NULL;
}

void gs_find_symbol(struct gs_ctx *c, gs_u64 addr, struct gs_symbol *to)
{
	(void)c;
	(void)addr;
	*to = (struct gs_symbol){ .name = GS_LIT(""), .module = GS_LIT("") };
}
