// SPDX-License-Identifier: GPL-2.0-or-later

// Package runtimec holds the runtime's C source. Package module-build compiles
// it, for a kernel or for the host.
//
//	include/  what all of it shares; generated code includes gostap.h from here
//	core/     freestanding: nothing but include/; the same code on both platforms
//	kernel/   the platform as a kernel module
//	host/     the platform as an ordinary process
//
// A host program is: the generated C, every core/*.c, every host/*.c, and the
// C file of emit.Library; -I include -I host -DGS_HOST -std=gnu11 -fwrapv.
// Generated C and core include nothing outside include/. Embedded C includes
// platform.h and constants.h, which host/ and kernel/ each have.
package runtimec

import "embed"

// Source is the tree of the four folders.
//
//go:embed include core host kernel
var Source embed.FS
