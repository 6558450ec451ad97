// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message.c - messages of handlers beside the output: warnings, errors, exit().
 * Handlers may run in an NMI or in the scheduler, so they only fill one of a few
 * preallocated slots and queue a work item, which may sleep, and sends.
 */
#include <linux/slab.h>

#include "internal.h"

#define GS_NMESSAGES 64
#define GS_MESSAGES_EVERY (HZ / 100)	/* jiffies between two runs of the work item: handlers that are hit by sending may cause more messages */

enum { GS_SLOT_FREE, GS_SLOT_FILLING, GS_SLOT_READY };

struct gs_message_slot {
	atomic_t state;
	u32 kind;
	char text[GS_MESSAGE_MAX + 1];
	char near[256];
	char point[256];
};

static struct gs_message_slot *gs_message_slots;
static atomic_t gs_message_head = ATOMIC_INIT(0);	/* slots claimed so far */
static u32 gs_message_tail;				/* slots sent so far; of the work item */
static atomic64_t gs_messages_lost = ATOMIC64_INIT(0);
static atomic_t gs_exit_said = ATOMIC_INIT(0);
static atomic_t gs_images_said = ATOMIC_INIT(0);
static struct gs_later gs_message_later;
static gs_sender *gs_message_send;

static void gs_fill(char *to, size_t size, const char *from, size_t len)
{
	len = min(len, size - 1);
	memcpy(to, from, len);
	to[len] = 0;
}

/* The slot at the head of the ring, claimed; NULL if it is in use. */
static struct gs_message_slot *gs_claim_slot(void)
{
	for (;;) {
		u32 at = atomic_read(&gs_message_head);
		struct gs_message_slot *m = &gs_message_slots[at % GS_NMESSAGES];

		if (atomic_cmpxchg(&m->state, GS_SLOT_FREE, GS_SLOT_FILLING) != GS_SLOT_FREE)
			return NULL;
		/* The head is moved by who has claimed its slot. Check that the head has not moved before. */
		if (atomic_cmpxchg(&gs_message_head, at, at + 1) == at)
			return m;
		atomic_set(&m->state, GS_SLOT_FREE);
	}
}

/**
 * gs_message() - sends a message beside the output
 * @kind: GS_MSG_*
 * @text: the message
 * @len: the text's bytes
 * @near: the place in the script; NULL: none
 * @point: the name of the probe point; NULL: none
 *
 * If all slots are in use, the message is counted as lost; a later message tells how many.
 *
 * Context: Any, NMIs too. Never sleeps.
 */
void gs_message(u32 kind, const char *text, size_t len, const char *near, const char *point)
{
	struct gs_message_slot *m = gs_claim_slot();

	if (!m) {
		/* The work item has been queued for the messages in the slots. To queue it again here could keep it from running. */
		atomic64_inc(&gs_messages_lost);
		return;
	}
	m->kind = kind;
	gs_fill(m->text, sizeof(m->text), text, len);
	gs_fill(m->near, sizeof(m->near), near ?: "", near ? strlen(near) : 0);
	gs_fill(m->point, sizeof(m->point), point ?: "", point ? strlen(point) : 0);
	/* Release: the work item, which reads READY, sees the slot's content. */
	atomic_set_release(&m->state, GS_SLOT_READY);
	gs_later(&gs_message_later);
}

/* Requests the session's end. That can't get lost: it takes no slot. */
void gs_message_exit(void)
{
	atomic_set(&gs_exit_said, 1);
	gs_later(&gs_message_later);
}

/* The same, from any context. */
void gs_message_images(void)
{
	atomic_set(&gs_images_said, 1);
	gs_later(&gs_message_later);
}

void gs_warn(struct gs_ctx *c, struct gs_str text)
{
	gs_message(GS_MSG_WARNING, text.s, text.len, NULL, NULL);
}

/* Sends the messages that are ready now: sending may cause more, which queue the work item again. */
static void gs_send_slots(void)
{
	u32 head = atomic_read(&gs_message_head);

	while (gs_message_tail != head) {
		struct gs_message_slot *m = &gs_message_slots[gs_message_tail % GS_NMESSAGES];

		if (atomic_read_acquire(&m->state) != GS_SLOT_READY)
			return;
		if (gs_message_send(m->kind, m->text, m->near, m->point))
			atomic64_inc(&gs_messages_lost);
		gs_message_tail++;
		/* Release: the slot has been read, and may be written again. */
		atomic_set_release(&m->state, GS_SLOT_FREE);
	}
}

/* Sends how many messages are lost; false: the owner's socket is full. */
static bool gs_tell_lost(void)
{
	u64 lost = atomic64_xchg(&gs_messages_lost, 0);
	char text[64];

	if (!lost)
		return true;
	snprintf(text, sizeof(text), "%llu messages came too fast and were lost", lost);
	if (!gs_message_send(GS_MSG_WARNING, text, "", ""))
		return true;
	atomic64_add(lost, &gs_messages_lost);
	return false;
}

/* Sends the messages that have no slot. */
static bool gs_tell(atomic_t *said, u32 kind)
{
	if (!atomic_xchg(said, 0) || !gs_message_send(kind, "", "", ""))
		return true;
	atomic_set(said, 1);
	return false;
}

static void gs_messages_send(struct work_struct *work)
{
	bool told;

	gs_later_begun(&gs_message_later);
	gs_send_slots();
	told = gs_tell_lost();
	told &= gs_tell(&gs_images_said, GS_MSG_IMAGES);
	told &= gs_tell(&gs_exit_said, GS_MSG_EXIT);
	/* An owner that does not read now, for instance a stopped process, gets these messages when it continues. */
	if (!told)
		queue_delayed_work(gs_workqueue, &gs_message_later.work, HZ / 10);
}

int gs_messages_init(gs_sender *send)
{
	gs_message_send = send;
	gs_message_slots = kvcalloc(GS_NMESSAGES, sizeof(*gs_message_slots), GFP_KERNEL);
	if (!gs_message_slots)
		return -ENOMEM;
	gs_later_init(&gs_message_later, gs_messages_send, GS_MESSAGES_EVERY);
	return 0;
}

/* Returns when all messages until now have been sent. Lost ones have not queued the work item. */
void gs_messages_flush(void)
{
	gs_later_flush(&gs_message_later);
}

void gs_messages_free(void)
{
	gs_messages_flush();
	cancel_delayed_work_sync(&gs_message_later.work);
	kvfree(gs_message_slots);
}
