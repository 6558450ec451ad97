// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * value_test.c - numbers, strings, statistics, locks, globals.
 */
#include "stubs.h"

static struct gs_str str(const char *s)
{
	return (struct gs_str){ s, strlen(s) };
}

static void test_numbers(void)
{
	struct gs_ctx c = { 0 };

	CHECK(gs_div(&c, GS_MIN, -1, "") == GS_MIN && !c.error);
	CHECK(gs_mod(&c, GS_MIN, -1, "") == 0 && !c.error);
	CHECK(gs_div(&c, -7, 2, "") == -3 && gs_mod(&c, -7, 2, "") == -1 && !c.error);
	CHECK(gs_udiv(&c, -1, 2, "") == -(GS_MIN + 1) && gs_umod(&c, -1, 10, "") == 5 && !c.error);
	CHECK(gs_umod(&c, 1, 0, "there") == 0 && !strcmp(c.error, "division by 0"));
	c.error = NULL;
	CHECK(gs_div(&c, 1, 0, "here") == 0 && !strcmp(c.error, "division by 0") && !strcmp(c.error_near, "here"));
	CHECK(gs_shl(1, 63) == GS_MIN && gs_shl(3, 64) == 3 && gs_shr(-8, 1) == -4 && gs_ushr(-1, 63) == 1);
}

static void test_strings(void)
{
	char from[200] __attribute__((aligned(8))), to[200], other[200];
	int n, size, i;

	for (n = 0; n < 150; n++) {
		for (i = 0; i < n; i++)
			from[i] = 'a' + (i * 7 + n) % 26;
		from[n] = 0;
		for (size = 1; size < 160; size += 1 + size / 3) {
			struct gs_str s;

			memset(to, '#', sizeof(to));
			s = gs_put(to, size, str(from));
			CHECK(s.s == to && s.len == (gs_size)(n < size ? n : size - 1));
			CHECK(!memcmp(to, from, s.len) && !to[s.len] && to[size] == '#');
		}
		memcpy(other, from, sizeof(from));
		CHECK(gs_str_in_slot(from).len == (gs_size)n);
		CHECK(gs_str_eq(str(from), str(other)) && gs_str_cmp(str(from), str(other)) == 0);
		CHECK(gs_hash_str(1, str(from)) == gs_hash_str(1, str(other)));
		for (i = 0; i < n; i++) {
			other[i] ^= 1;
			CHECK(!gs_str_eq(str(from), str(other)));
			CHECK((gs_str_cmp(str(from), str(other)) < 0) == (strcmp(from, other) < 0));
			other[i] ^= 1;
		}
	}
	CHECK(gs_str_cmp(str("a"), str("ab")) < 0 && gs_str_cmp(str("b"), str("ab")) > 0);
	strcpy(to, "one");
	CHECK(gs_append(to, 6, 3, str("two")) == 5 && !strcmp(to, "onetw"));
	CHECK(gs_append(to, 6, 5, str("five")) == 5 && !strcmp(to, "onetw"));
	CHECK(gs_append(to, 6, 0, str("")) == 0 && !*to);
	CHECK(gs_keep(to, 6, str("four")) == 4 && gs_keep(to, 6, str(to)) == 4 && !strcmp(to, "four"));
	CHECK(gs_substr(to, 6, str("abcdef"), 2, 3).len == 3 && !strcmp(to, "cde"));
	CHECK(gs_substr(to, 6, str("abcdef"), 4, -(GS_MIN + 1)).len == 2 && !strcmp(to, "ef"));
	CHECK(!gs_substr(to, 6, str("abcdef"), 6, 1).len && !gs_substr(to, 6, str("abcdef"), -1, 1).len && !*to);
	CHECK(!gs_substr(to, 6, str("abcdef"), 0, 0).len && !gs_substr(to, 6, str("abcdef"), 0, -1).len && !*to);
	CHECK(gs_str_cmp(str("12345678a"), str("12345678b")) < 0 && gs_str_cmp(str("abcdefgh2"), str("abcdefgi1")) < 0);
	CHECK(gs_str_cmp(str("12345678"), str("12345678")) == 0 && gs_str_cmp(str("123456789"), str("12345678")) > 0);
}

static void test_memory(void)
{
	struct gs_ctx c = { 0 };
	char to[32];
	struct gs_str s = gs_load_bytes(&c, to, sizeof(to), 'a', 11, 0, "");

	CHECK(s.len == 11 && !strcmp(to, "abcdefghijk"));
	CHECK(gs_load_bytes(&c, to, sizeof(to), 'a', 100, 0, "").len == 31);
	CHECK(gs_load_bytes(&c, to, sizeof(to), 'a', 0, 0, "").len == 0 && !c.error);
	gs_load_bytes(&c, to, sizeof(to), 4090, 20, 0, "");
	CHECK(c.error != NULL);
}

static gs_s64 variance(const gs_s64 *values, int n, gs_s64 shift)
{
	struct gs_variance v = { 0 };
	struct gs_stat s = { 0 };
	int i;

	for (i = 0; i < n; i++) {
		s.count++;
		s.sum += values[i];
		gs_variance_add(&v, s.count, values[i], shift);
	}
	CHECK(n > 1 || !gs_variance_read(&v, n, shift));
	return gs_variance_total(&v, s, shift);
}

static void test_stats(void)
{
	static const gs_s64 five[] = { 1, 2, 3, 4, 5 };
	gs_s64 buckets[6] = { 3, 0, 1, 3, 0, 2 };
	gs_u16 order[6];

	/* Both as stap(1) has them. */
	CHECK(variance(five, 5, 0) == 12);
	CHECK(variance(five, 5, 1) == 2);
	CHECK(variance(five, 1, 0) == 0);
	CHECK(gs_log_bucket(0) == 64 && gs_log_bucket(1) == 65 && gs_log_bucket(2) == 66 && gs_log_bucket(3) == 66);
	CHECK(gs_log_bucket(-1) == 63 && gs_log_bucket(-2) == 62 && gs_log_bucket(GS_MIN) == 0);
	CHECK(gs_log_bucket(9223372036854775807LL) == 127);
	CHECK(gs_linear_bucket(0, 1, 1, 3) == 0 && gs_linear_bucket(1, 1, 1, 3) == 1);
	CHECK(gs_linear_bucket(3, 1, 1, 3) == 3 && gs_linear_bucket(4, 1, 1, 3) == 4);
	CHECK(gs_linear_bucket(9223372036854775807LL, GS_MIN, 1LL << 62, 4) == 4);
	gs_sort_buckets(buckets, 6, order, 0, 0);
	CHECK(order[0] == 0 && order[1] == 1 && order[5] == 5);
	gs_sort_buckets(buckets, 6, order, -1, 0);
	CHECK(order[0] == 5 && order[5] == 0);
	gs_sort_buckets(buckets, 6, order, 1, 1);
	CHECK(order[0] == 1 && order[1] == 4 && order[2] == 2 && order[3] == 5 && order[4] == 0 && order[5] == 3);
	gs_sort_buckets(buckets, 6, order, -1, 1);
	CHECK(order[0] == 0 && order[1] == 3 && order[2] == 5 && order[5] == 4);
}

static void test_locks(void)
{
	struct gs_ctx c = { 0 };
	struct gs_lock l = { 0 }, locks[3] = { { 0 }, { 0 }, { 0 } };
	struct gs_shards shards = { sizeof(*locks), (char *)locks };

	CHECK(gs_write_lock(&c, &l) && !gs_write_lock(&c, &l) && skips == 1 && waits == 5);
	CHECK(!gs_read_lock(&c, &l) && skips == 2);
	gs_write_unlock(&l);
	CHECK(gs_read_lock(&c, &l) && gs_read_lock(&c, &l) && !gs_write_lock(&c, &l));
	gs_read_unlock(&l);
	gs_read_unlock(&l);
	CHECK(gs_write_lock(&c, &l));
	CHECK(gs_lock_shards(&c, &shards) && !gs_write_lock(&c, &locks[2]));
	gs_unlock_shards(&shards);
	CHECK(gs_write_lock(&c, &locks[2]) && !gs_lock_shards(&c, &shards));
	CHECK(!locks[0].word && !locks[1].word);
}

static void test_globals(void)
{
	CHECK(!gs_set_global("n=-0x10") && number_global == -16);
	CHECK(!gs_set_global("n=010") && number_global == 8);
	CHECK(!gs_set_global("n=0") && number_global == 0);
	CHECK(gs_set_global("n=12x") && gs_set_global("n=") && gs_set_global("nn=1") && gs_set_global("m"));
	CHECK(!gs_set_global("text=a=b") && text_global.len == 3 && !strcmp(text_global.s, "a=b"));
}

/* How many actions a handler does that takes ns for each. */
static int actions_of(struct gs_ctx *c, gs_u64 ns)
{
	long left = 0;
	int n = 0;

	*c = (struct gs_ctx){ .more_actions = 10000, .interruptible = c->interruptible };
	clock_step = 0;
	while (gs_action(&left) || gs_more_actions(c, &left, "here")) {
		clock_ns += ns;
		n++;
	}
	return n;
}

static void test_actions(void)
{
	struct gs_ctx c = { 0 };

	CHECK(actions_of(&c, 100) == 10000 && !c.error);
	CHECK(actions_of(&c, 1000000) > 1900 && c.error && !strcmp(c.error, "too long") && !strcmp(c.error_near, "here"));
	CHECK(actions_of(&c, 1000000) < 2100);
	/* The clock went on once while the handler did not. */
	c.interruptible = 0;
	clock_ns += 1ull << 40;
	CHECK(actions_of(&c, 100) == 10000);
	c.interruptible = 1;
	CHECK(actions_of(&c, 1000000) == 10000 && !c.error);
}

int main(void)
{
	test_numbers();
	test_strings();
	test_memory();
	test_stats();
	test_locks();
	test_globals();
	test_actions();
	return !!failures;
}
