// SPDX-License-Identifier: GPL-2.0-or-later

// Package btf reads functions and types from a kernel's BTF, without reading all of
// it: a look-up decodes only the types that it needs (types.go); the index of names is
// in index.go.
//
//	raw BTF ─Open, once─▶ index of types by number and by name ─▶ cache, beside the BTF
//	          │
//	          ▼ Find, Func, Member, …: type by type, on demand
//
// cilium/ebpf's package of the same name takes 15 ms to open a kernel's BTF
// and 6 ms more for the first function, as it resolves all types that
// are connected with it; here both take less than 0.1 ms together.
//
// The format is described in the kernel's Documentation/bpf/btf.rst. Hostile
// data ends in errors or in types of kind Unknown, never in a panic or a loop.
package btf
