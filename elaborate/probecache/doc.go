// SPDX-License-Identifier: GPL-2.0-or-later

// Package probecache keeps, for a build of a kernel, what debuginfo says at
// chosen probe points, for machines where the debuginfo is not installed.
//
// It is a subset of the debuginfo of the kernel, and of those of modules: the
// source files whose code the probe points are in, and the texts of the points
// (package dwarf writes and reads such subsets). A probe point that asks for no
// more than one of them finds in the subset all that it finds in the debuginfo.
//
// A Collector takes notes while probe points are elaborated, and writes the
// entries at the end; a Cache loads them (entry.go), lists them, and packs
// them into an archive for another machine (archive.go).
package probecache
