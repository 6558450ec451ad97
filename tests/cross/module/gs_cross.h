/* SPDX-License-Identifier: GPL-2.0-or-later */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gs_cross

#if !defined(GS_CROSS_H) || defined(TRACE_HEADER_MULTI_READ)
#define GS_CROSS_H

#include <linux/tracepoint.h>

TRACE_EVENT(gs_cross_event,
	TP_PROTO(int n, const char *text, struct gs_cross_item *item),
	TP_ARGS(n, text, item),
	TP_STRUCT__entry(__field(int, n)),
	TP_fast_assign(__entry->n = n;),
	TP_printk("%d", __entry->n));

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE gs_cross
#include <trace/define_trace.h>
