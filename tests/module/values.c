// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * values.c - a module whose functions have known values, in all kinds of
 * locations that compilers use. echo 1 > /sys/module/values/parameters/go
 * calls each once. A mark at the end of a line names it for the test's script.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

enum colour { RED = 3, GREEN = -7 };

struct inner {
	short s[2][3];
	union {
		u32 word;
		u8 bytes[4];
	};
};

struct sample {
	u8 low : 3, high : 5;
	int neg : 9;
	unsigned int wide : 20;
	enum colour colour;
	char name[8];
	struct inner in;
	struct sample *next;
	struct sample **way;
	const char *text;
};

/* Small structs are passed in two registers, or in parts of them. */
struct pair {
	u32 a, b;
	u64 c;
};

static int hidden = 4711;
static u64 sink;
int values_shared[3] = { 10, 20, 30 };

#define keep(x) asm volatile("" : : "r"(x) : "memory")
/* As compiled for any caller, not for the ones here. */
#define alone noinline __attribute__((noipa))
#define busy() asm volatile("" : : : "rbx", "r12", "r13", "r14", "r15", "memory")

static alone u64 by_pointer(struct sample *s, int n, char c, s16 neg, u64 big, const char *text, u64 seventh)
{
	keep(s);
	sink += n + c + neg + big + seventh;	/* BY_POINTER */
	keep(text);
	return sink;
}

static alone u64 by_value(struct pair p, struct inner in)
{
	u64 sum = p.a + p.b;

	keep(sum);
	sum += p.c + in.word;			/* BY_VALUE */
	keep(sum);
	return sum;
}

/* More live values than registers, so some are on the stack. */
static alone u64 spilled(u64 a, u64 b, u64 c)
{
	u64 d = a * 3, e = b * 5, f = c * 7, g = a + b, h = b + c, i = a ^ c, j = a + 1000;
	u64 array[4] = { 11, 22, 33, 44 };

	keep(array);
	busy();
	sink += array[1];			/* SPILLED */
	keep(a);
	keep(b);
	keep(c);
	busy();
	keep(d);
	keep(e);
	keep(f);
	keep(g);
	keep(h);
	keep(i);
	keep(j);
	return a + b + c + d + e + f + g + h + i + j + array[2];
}

static __always_inline u64 inlined(u64 x, const struct sample *s)
{
	u64 twice = x * 2;

	keep(twice);
	sink += twice + s->wide;		/* INLINED */
	keep(x);
	return twice;
}

static alone u64 twice_inlined(u64 y, struct sample *s)
{
	u64 first = inlined(y, s);
	u64 second = inlined(y + 1, s->next);

	keep(first);
	return first + second;			/* AFTER */
}

static alone u64 loop(int n)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < n; i++) {
		int square = i * i;

		keep(square);
		sum += square;			/* LOOP */
		keep(sum);
	}
	return sum;
}

static alone u64 gone(u64 used, u64 unused)
{
	u64 nowhere = used + 5;

	keep(used);
	sink += used;				/* GONE */
	return sink;
}

/* The quotient is not computed; debuginfo has an expression for it. */
static alone u64 divided(u64 big)
{
	u64 quotient = big / 3;

	keep(big);
	sink += big;				/* DIVIDED */
	return sink;
}

/* The parameters have no location at the line, but an entry value. */
static alone u64 entered(long n, s16 word)
{
	if (n > 1)
		sink += entered(n - 1, word + 1);
	asm volatile("" : : : "rdi", "rsi", "rbx", "memory");
	sink += 2;				/* ENTERED */
	return sink;
}

static int go(const char *value, const struct kernel_param *kp)
{
	struct sample second = { .low = 1, .high = 2, .neg = 100, .wide = 77, .colour = GREEN, .name = "second" };
	struct sample *at = &second;
	struct sample first = { .low = 5, .high = 19, .neg = -200, .wide = 654321, .colour = RED, .name = "first",
		.in = { .s = { { 1, -2, 3 }, { 4, 5, -6 } }, .word = 0x11223344 },
		.next = &second, .way = &at, .text = "some text" };
	struct pair p = { .a = 101, .b = 202, .c = 5005 };

	hidden++;
	by_pointer(&first, -12345, 'x', -321, 0x123456789abcdef0ull, "hello", 777);
	by_value(p, first.in);
	spilled(3, 4, 5);
	twice_inlined(40, &first);
	loop(4);
	gone(9, 10);
	entered(3, -12);
	divided(0xfffffffffffffff1ull);
	return 0;
}

static const struct kernel_param_ops go_ops = { .set = go };
module_param_cb(go, &go_ops, NULL, 0200);
MODULE_DESCRIPTION("Values for gostap's tests");
MODULE_LICENSE("GPL");
