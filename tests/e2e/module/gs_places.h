/* SPDX-License-Identifier: GPL-2.0-or-later */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gs_places

#if !defined(GS_PLACES_H) || defined(TRACE_HEADER_MULTI_READ)
#define GS_PLACES_H

#include <linux/tracepoint.h>

TRACE_EVENT(gs_places_event,
	TP_PROTO(int a, u8 b, short c, unsigned long d, struct gs_item *item, const char *text, int seventh, long eighth),
	TP_ARGS(a, b, c, d, item, text, seventh, eighth),
	TP_STRUCT__entry(__field(int, a)),
	TP_fast_assign(__entry->a = a;),
	TP_printk("a %d", __entry->a)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE gs_places
#include <trace/define_trace.h>
