// SPDX-License-Identifier: GPL-2.0-or-later

// Package btf reads what a kernel's BTF says of functions and types, without
// reading all of it: a look-up decodes the few types that it is about.
//
//	raw BTF ─Open, once─▶ index of types by number and by name ─▶ cache, beside the BTF
//	          │
//	          ▼ Find, Func, Member, …: type by type, on demand
//
// cilium/ebpf's package of the same name takes 15 ms to open a kernel's BTF
// and 6 ms more for the first function, for it resolves all that hangs
// together with it; here both take less than 0.1 ms together.
//
// The format is described in the kernel's Documentation/bpf/btf.rst. Hostile
// data ends in errors or in types of kind Unknown, never in a panic or a loop.
package btf
