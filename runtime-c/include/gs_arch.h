/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gs_arch.h - the instruction set, with one header for each: calling convention,
 * struct pt_regs, and inline assembly. internal/arch is the compiler's
 * side of it.
 */
#ifndef GS_ARCH_H
#define GS_ARCH_H

#if defined(__x86_64__)
#include "gs_x86_64.h"
#else
#error "gostap has no header for this instruction set"
#endif

#endif
