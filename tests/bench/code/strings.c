// SPDX-License-Identifier: GPL-2.0-or-later
/* strings.c - strings.stp written by hand: buffers of 512 bytes, with their lengths. */
#include <stdio.h>
#include <string.h>

#define MAX 512

struct text {
	size_t len;
	char s[MAX];
};

static void append(struct text *to, const char *from, size_t len)
{
	if (len > MAX - 1 - to->len)
		len = MAX - 1 - to->len;
	memcpy(to->s + to->len, from, len);
	to->len += len;
	to->s[to->len] = 0;
}

static void append_literal(struct text *to, const char *from)
{
	append(to, from, strlen(from));
}

static void clear(struct text *t)
{
	t->len = 0;
	t->s[0] = 0;
}

static void copy(struct text *to, const struct text *from)
{
	memcpy(to->s, from->s, from->len + 1);
	to->len = from->len;
}

static int equal(const struct text *a, const struct text *b)
{
	return a->len == b->len && !memcmp(a->s, b->s, a->len);
}

static void cut(struct text *to, const struct text *from, size_t start, size_t len)
{
	clear(to);
	if (start < from->len)
		append(to, from->s + start, len < from->len - start ? len : from->len - start);
}

int main(void)
{
	static struct text path, last, part, line;
	long same = 0, less = 0, reads = 0, bytes = 0;

	for (long i = 0; i < 300000; i++) {
		clear(&path);
		append_literal(&path, "/proc/");
		append_literal(&path, i % 3 ? "reader" : "writer-thread");
		append_literal(&path, "/");
		append_literal(&path, i & 1 ? "status" : "maps");
		if (equal(&path, &last))
			same++;
		if (strcmp(path.s, last.s) < 0)
			less++;
		cut(&part, &path, 6, 4);
		if (!strcmp(part.s, "read"))
			reads++;
		bytes += path.len;
		append(&line, path.s, path.len);
		append_literal(&line, " ");
		if (line.len > 480)
			clear(&line);
		copy(&last, &path);
	}
	printf("%ld %ld %ld %ld %s\n", same, less, reads, bytes, line.s);
	return 0;
}
