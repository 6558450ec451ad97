/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_arch.h - the instruction set: one header for each, which says how probed
 * code passes arguments, where the kernel keeps registers, and what is spelled
 * in instructions. internal/arch is the compiler's side of it.
 */
#ifndef GS_ARCH_H
#define GS_ARCH_H

#if defined(__x86_64__)
#include "gs_x86_64.h"
#else
#error "gostap has no header for this instruction set"
#endif

#endif
