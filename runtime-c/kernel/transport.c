// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * transport.c - records to the consumer, through a relay channel: relay
 * allocates the buffers, also of CPUs that come online later; this file places
 * the records, and files.c has the files. A CPU writes to its own buffer only,
 * in handlers, of which it runs one at a time, so no lock is needed.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/relay.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "internal.h"

static unsigned int subbuf_size = 256 << 10;
module_param(subbuf_size, uint, 0444);
MODULE_PARM_DESC(subbuf_size, "bytes of a sub-buffer");
static unsigned int n_subbufs = 16;
module_param(n_subbufs, uint, 0444);
MODULE_PARM_DESC(n_subbufs, "sub-buffers of a CPU");

#define GS_PATIENCE (5 * HZ)

static bool gs_overwriting;
struct rchan *gs_channel;

/* Between giving sub-buffers back and overwriting them: relay's count is not atomic. */
static DEFINE_MUTEX(gs_overwrite_mutex);

void gs_overwrite(bool on)
{
	mutex_lock(&gs_overwrite_mutex);
	if (gs_overwriting != on) {
		WRITE_ONCE(gs_overwriting, on);
		/* Handlers run with interrupts off. */
		if (!on)
			synchronize_rcu_expedited();
	}
	mutex_unlock(&gs_overwrite_mutex);
}

/* Number i of the buffer's sub-buffers, counted from 0 since the beginning. */
static struct gs_subbuf *gs_subbuf_at(struct rchan_buf *buf, size_t i)
{
	return buf->start + i % buf->chan->n_subbufs * buf->chan->subbuf_size;
}

/* Overwrites the oldest sub-buffer. There is no reader now, so relay's counts can be changed here. */
static void gs_overwrite_oldest(struct gs_cpu *me, struct rchan_buf *buf)
{
	u64 first = gs_subbuf_at(buf, buf->subbufs_consumed + 1)->written;

	if (first > me->first) {
		WRITE_ONCE(me->overwritten, me->overwritten + first - me->first);
		WRITE_ONCE(me->first, first);
	}
	relay_subbufs_consumed(buf->chan, buf->cpu, 1);
}

/*
 * The last free sub-buffer is for the end probes: a reader that writes out what it
 * has copied aside may leave the others full for long.
 */
static bool gs_full(struct rchan_buf *buf)
{
	size_t n = buf->chan->n_subbufs;

	if (n >= 4 && !READ_ONCE(gs_ending) && !READ_ONCE(gs_overwriting))
		n--;
	return buf->subbufs_produced - buf->subbufs_consumed >= n;
}

/*
 * Called by relay with the next sub-buffer when prev is complete; for a buffer's
 * first one, prev is NULL. 0: there is no room, try again later.
 */
static int gs_subbuf_start(struct rchan_buf *buf, void *subbuf, void *prev GS_PREV_PADDING)
{
	struct gs_cpu *me = per_cpu_ptr(gs_cpus, buf->cpu);
	struct gs_subbuf *sb = subbuf;

	if (prev)
		/* Release: who reads closed sees the final committed. */
		smp_store_release(&((struct gs_subbuf *)prev)->closed, 1);
	else
		WRITE_ONCE(me->buf, buf);
	if (gs_full(buf)) {
		if (!READ_ONCE(gs_overwriting)) {
			me->next = me->end;
			return 0;
		}
		gs_overwrite_oldest(me, buf);
	}
	/* Other processes may map the file, too: seq is 0 while the header is written. */
	WRITE_ONCE(sb->seq, 0);
	smp_wmb();
	sb->committed = sizeof(*sb);
	sb->closed = 0;
	sb->lost = me->lost;
	sb->written = me->written;
	smp_store_release(&sb->seq, ++me->seq);
	me->subbuf = sb;
	me->next = (char *)(sb + 1);
	me->end = (char *)subbuf + buf->chan->subbuf_size;
	subbuf_start_reserve(buf, sizeof(*sb));
	return 1;
}

/* Begins the next sub-buffer for a record that takes need bytes. */
static noinline char *gs_switch(struct gs_cpu *me, size_t need)
{
	struct rchan_buf *buf = me->buf;

	if (!buf || need > buf->chan->subbuf_size - sizeof(struct gs_subbuf))
		goto lost;
	/* Relay's own count of bytes; it has a special value after relay found no room. */
	if (buf->offset <= buf->chan->subbuf_size)
		buf->offset = me->next - (char *)buf->data;
	relay_switch_subbuf(buf, need);
	if (need <= me->end - me->next)
		return me->next;
lost:
	WRITE_ONCE(me->lost, me->lost + 1);
	return NULL;
}

/* Writes a record of the current thread before the handler's records. */
static noinline void gs_write_task(struct gs_ctx *c)
{
	struct gs_task *t = gs_reserve(c, GS_REC_TASK, sizeof(*t));

	if (!t)
		return;
	t->pid = current->tgid;
	t->tid = current->pid;
	strscpy_pad(t->thread, current->comm, sizeof(t->thread));
	strscpy_pad(t->process, current->group_leader->comm, sizeof(t->process));
	gs_commit(c);
}

void *gs_reserve(struct gs_ctx *c, gs_u32 kind, gs_u32 len)
{
	struct gs_cpu *me = container_of(c, struct gs_cpu, ctx);
	size_t need = ALIGN(sizeof(struct gs_record) + (size_t)len, 8), point;
	struct gs_record *r;

	if (!c->time) { /* all records of a handler have the time of the first */
		c->time = gs_now();
		if (unlikely(gs_program.tasks))
			gs_write_task(c);
	}
	r = (struct gs_record *)me->next;
	if (unlikely(need > me->end - me->next)) {
		r = (struct gs_record *)gs_switch(me, need);
		if (!r)
			return NULL;
	}
	point = gs_point_of(c) - gs_program.points;
	r->len = sizeof(*r) + len;
	r->kind = kind;
	r->point = min_t(size_t, point, 0xffff);
	r->time = c->time;
	me->reserved = need;
	return r + 1;
}

void gs_commit(struct gs_ctx *c)
{
	struct gs_cpu *me = container_of(c, struct gs_cpu, ctx);

	me->next += me->reserved;
	/* Release: the consumer, which reads committed, sees the records below it. */
	smp_store_release(&me->subbuf->committed, me->next - (char *)me->subbuf);
	WRITE_ONCE(me->written, me->written + 1);
}

/* The number of sub-buffers that wait for the reader, on CPUs with less than half of theirs free. */
static size_t gs_waiting(void)
{
	struct gs_cpu *me;
	size_t n, sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		me = per_cpu_ptr(gs_cpus, cpu);
		if (!me->buf || !READ_ONCE(me->reader))
			continue;
		n = READ_ONCE(me->buf->subbufs_produced) - READ_ONCE(me->buf->subbufs_consumed);
		if (n > me->buf->chan->n_subbufs / 2)
			sum += n;
	}
	return sum;
}

/*
 * The output of the end probes must not be lost because that of the other probes
 * fills the buffers: waits for the reader as long as it makes progress.
 */
void gs_await_reader(void)
{
	unsigned long until = jiffies + GS_PATIENCE;
	size_t n, before = SIZE_MAX;

	if (READ_ONCE(gs_overwriting))
		return;
	while ((n = gs_waiting()) && time_before(jiffies, until) && !fatal_signal_pending(current)) {
		if (n < before)
			until = jiffies + GS_PATIENCE;
		before = n;
		msleep(5);
	}
}

static void gs_read_upto(struct gs_cpu *me, u64 first)
{
	if (first > me->first && first <= READ_ONCE(me->written))
		WRITE_ONCE(me->first, first);
}

static void gs_consumed(struct gs_cpu *me, size_t n)
{
	struct rchan_buf *buf = me->buf;
	struct gs_subbuf *oldest;

	lockdep_assert_held(&gs_overwrite_mutex);
	/* A full barrier: reading ends before relay's count shows the sub-buffer as free. */
	smp_mb();
	relay_subbufs_consumed(gs_channel, buf->cpu, n);
	oldest = gs_subbuf_at(buf, buf->subbufs_consumed);
	if (smp_load_acquire(&oldest->seq) == buf->subbufs_consumed + 1)
		gs_read_upto(me, oldest->written);
}

/* GS_IOC_CONSUMED and GS_IOC_FIRST, by the reader. While sub-buffers are overwritten, none is given back. */
static long gs_given_back(struct gs_cpu *me, unsigned int cmd, unsigned long arg)
{
	long err = 0;

	mutex_lock(&gs_overwrite_mutex);
	if (gs_overwriting)
		err = -EBUSY;
	else if (cmd == GS_IOC_CONSUMED)
		gs_consumed(me, arg);
	else if (cmd == GS_IOC_FIRST)
		gs_read_upto(me, arg);
	else
		err = -ENOTTY;
	mutex_unlock(&gs_overwrite_mutex);
	return err;
}

/* The files are not relay's; it only checks that this is not NULL. */
static struct dentry *gs_no_file(const char *name, struct dentry *parent, umode_t mode, struct rchan_buf *buf,
				 int *is_global)
{
	return (struct dentry *)buf;
}

static int gs_remove_no_file(struct dentry *dentry)
{
	return 0;
}

/* Not const: before 5.11 relay writes to it. */
static struct rchan_callbacks gs_channel_callbacks = {
	.subbuf_start = gs_subbuf_start,
	.create_buf_file = gs_no_file,
	.remove_buf_file = gs_remove_no_file,
};

u64 gs_transport_size(void)
{
	return (u64)PAGE_ALIGN(subbuf_size) * n_subbufs * num_online_cpus();
}

int gs_transport_init(void)
{
	int err;

	if (subbuf_size < PAGE_SIZE || subbuf_size > 64 << 20 || n_subbufs < 2 || n_subbufs > 4096)
		return -EINVAL;
	/* Relay allocates its pages with GFP_KERNEL, which may invoke the OOM killer. */
	if (gs_transport_size() > si_mem_available() * (u64)PAGE_SIZE / 2)
		return -ENOMEM;
	gs_channel = relay_open(NULL, NULL, PAGE_ALIGN(subbuf_size), n_subbufs, &gs_channel_callbacks, NULL);
	if (!gs_channel)
		return -ENOMEM;
	err = gs_files_init(gs_given_back);
	if (err)
		relay_close(gs_channel);
	return err;
}

void gs_transport_free(void)
{
	gs_files_free();
	relay_close(gs_channel);
}
