/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_number.h - arithmetic where C leaves something undefined. All of it
 * wraps; generated code is compiled with -fwrapv.
 */
#ifndef GS_NUMBER_H
#define GS_NUMBER_H

#define GS_MIN (-9223372036854775807LL - 1)

/* Shifts take the count modulo 64, as x86-64 does. */
gs_inline gs_s64 gs_shl(gs_s64 x, gs_s64 n)
{
	return (gs_s64)((gs_u64)x << (n & 63));
}

gs_inline gs_s64 gs_shr(gs_s64 x, gs_s64 n)
{
	return x >> (n & 63);
}

gs_inline gs_s64 gs_ushr(gs_s64 x, gs_s64 n)
{
	return (gs_s64)((gs_u64)x >> (n & 63));
}

/* Division by -1 negates, so that the smallest number survives it. */
gs_inline gs_s64 gs_div(struct gs_ctx *c, gs_s64 x, gs_s64 y, const char *near)
{
	if (gs_unlikely((gs_u64)y + 1 <= 1)) {
		if (y)
			return (gs_s64)(0 - (gs_u64)x);
		gs_raise(c, "division by 0", near);
		return 0;
	}
	return x / y;
}

gs_inline gs_s64 gs_mod(struct gs_ctx *c, gs_s64 x, gs_s64 y, const char *near)
{
	if (gs_unlikely((gs_u64)y + 1 <= 1)) {
		if (!y)
			gs_raise(c, "division by 0", near);
		return 0;
	}
	return x % y;
}

gs_inline gs_s64 gs_udiv(struct gs_ctx *c, gs_u64 x, gs_u64 y, const char *near)
{
	if (gs_unlikely(!y)) {
		gs_raise(c, "division by 0", near);
		return 0;
	}
	return x / y;
}

gs_inline gs_s64 gs_umod(struct gs_ctx *c, gs_u64 x, gs_u64 y, const char *near)
{
	if (gs_unlikely(!y)) {
		gs_raise(c, "division by 0", near);
		return 0;
	}
	return x % y;
}

/* Two's complement arithmetic for core, which may be compiled without -fwrapv. */
gs_inline gs_s64 gs_add(gs_s64 x, gs_s64 y)
{
	return (gs_s64)((gs_u64)x + (gs_u64)y);
}

gs_inline gs_s64 gs_sub(gs_s64 x, gs_s64 y)
{
	return (gs_s64)((gs_u64)x - (gs_u64)y);
}

gs_inline gs_s64 gs_mul(gs_s64 x, gs_s64 y)
{
	return (gs_s64)((gs_u64)x * (gs_u64)y);
}

#endif
