// SPDX-License-Identifier: GPL-2.0-or-later

// Package symbols reads the functions of a kernel and its modules, their addresses
// and whether they can be probed, from the kernel's image alone: without System.map
// or debuginfo, and the kernel need not run.
//
//	/boot/vmlinuz-REL ─unpack─▶ ELF ─parseImage─▶ sections ─┬─▶ build-id
//	                                                        ├─▶ raw BTF, for package btf
//	       kallsyms, ftrace's and kprobes' own tables ◀─────┘
//	                        │ decodeKallsyms, functions
//	                        ▼
//	              an index, sorted by name ─▶ cache ─▶ Kernel: Lookup, Glob, Nearest
//
// All but the last step is done once for each kernel build: the cache keeps
// kernels/BUILD-ID/symbols and kernels/BUILD-ID/btf.
package symbols
