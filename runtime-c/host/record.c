// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record.c - records, to file descriptor 3. They are collected in a buffer,
 * which the session flushes when it is idle. Writing waits for a slow reader: a
 * record is lost only if it is larger than the buffer.
 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "host.h"

#define GS_OUTPUT 3

static char buffer[1 << 20] __attribute__((aligned(8)));
static gs_size filled;
static gs_u64 lost, written;
static struct gs_record *open_record;

void gs_flush(void)
{
	gs_size done = 0;

	while (done < filled) {
		ssize_t n = write(GS_OUTPUT, buffer + done, filled - done);

		if (n > 0)
			done += n;
		else if (n < 0 && errno != EINTR)
			break;
	}
	filled = 0;
}

/* Begins a handler's records: they all have the time of the first. */
static void begin_records(struct gs_ctx *c)
{
	struct gs_task *t;

	c->time = gs_now();
	if (!gs_program.tasks || !c->point)
		return;
	t = gs_reserve(c, GS_REC_TASK, sizeof(*t));
	if (!t)
		return;
	*t = (struct gs_task){ .pid = getpid(), .tid = getpid() };
	prctl(PR_GET_NAME, t->thread);
	prctl(PR_GET_NAME, t->process);
	gs_commit(c);
}

void *gs_reserve(struct gs_ctx *c, gs_u32 kind, gs_u32 len)
{
	gs_size size = (sizeof(*open_record) + (gs_size)len + 7) & ~(gs_size)7;

	if (size > sizeof(buffer)) {
		lost++;
		return NULL;
	}
	if (!c->time)
		begin_records(c);
	if (size > sizeof(buffer) - filled)
		gs_flush();
	open_record = (struct gs_record *)(buffer + filled);
	memset((char *)open_record + size - 8, 0, 8);
	*open_record = (struct gs_record){
		.len = sizeof(*open_record) + len,
		.kind = kind,
		.point = c->point && c->point - gs_program.points < 0xffff ? c->point - gs_program.points : 0xffff,
		.time = c->time,
	};
	return open_record + 1;
}

void gs_commit(struct gs_ctx *c)
{
	(void)c;
	filled += (open_record->len + 7) & ~7u;
	written++;
}

void gs_message(gs_u32 kind, struct gs_str text, const char *near, const char *point)
{
	struct gs_str n = gs_str_of(near ? near : "", 0xffff), p = gs_str_of(point ? point : "", 0xffff);
	char *at;

	if (text.len > GS_MESSAGE_MAX)
		text.len = GS_MESSAGE_MAX;
	at = gs_reserve(&gs_ctx, GS_REC_MESSAGE, 10 + text.len + n.len + p.len);
	if (!at)
		return;
	GS_U32(at) = kind;
	at = gs_pack_str(at + 4, text);
	at = gs_pack_str(at, n);
	gs_pack_str(at, p);
	gs_commit(&gs_ctx);
}

void gs_write_stats(void)
{
	char *at = gs_reserve(&gs_ctx, GS_REC_STATS, 32 + 8 * GS_NSKIP);
	int i;

	if (!at)
		return;
	GS_U32(at) = gs_session.state;
	GS_U32(at + 4) = gs_session.unarmed;
	at = gs_pack_long(at + 8, gs_session.errors);
	at = gs_pack_long(at, lost);
	at = gs_pack_long(at, written);
	for (i = 0; i < GS_NSKIP; i++)
		at = gs_pack_long(at, gs_session.skipped[i]);
	gs_commit(&gs_ctx);
}
