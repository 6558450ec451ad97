// SPDX-License-Identifier: GPL-2.0-or-later

struct pair {
	int a;
	long b;
};

static inline __attribute__((always_inline)) int sum(struct pair *p, struct pair **pp, long *n, const char *text)
{
	int s = p->a + (*pp)->b;

	__asm__ volatile("" : "+r"(s) : "r"(p->a), "r"(p->b), "r"(*n));
	return s + p->b + p->a * *n + text[1];
}

/* What sum is given points to nothing that is in memory. */
__attribute__((noinline)) int pointers(int a, long b)
{
	struct pair pair = { a + 1, b + 2 }, *p = &pair;
	long n = b * 3;

	return sum(&pair, &p, &n, "text");
}

int main(int argc, char **argv)
{
	return pointers(argc, 2);
}
