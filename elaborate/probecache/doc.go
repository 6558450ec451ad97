// SPDX-License-Identifier: GPL-2.0-or-later

// Package probecache keeps, for a build of a kernel, what debuginfo says at
// chosen probe points, for machines where the debuginfo is not installed.
//
// An entry is a subset of the debuginfo of the kernel or of a module: the
// compilation units that the probe points are in, and the texts of the points
// (package dwarf writes and reads such subsets). For these points, and for points
// that need no more, the subset is as good as the whole debuginfo.
//
// A Collector (collector.go) records which functions probe points need while
// they are elaborated, and then writes the entries; a Cache loads them (entry.go), lists them, and packs
// them into an archive for another machine (archive.go).
package probecache
