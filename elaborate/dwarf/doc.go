// SPDX-License-Identifier: GPL-2.0-or-later

// Package dwarf reads what debuginfo says of a kernel, a module or a program:
// where in the code a function, an inlined copy of one or a line of the source
// is, and where a variable lives while that code runs.
//
//	find.go ─▶ ELF file with .debug_* sections ─Open, once─▶ index ─▶ cache
//	                  │                                        │
//	                  ▼ type by type, DIE by DIE, on demand    ▼ functions, files, globals
//	            Func, Scope, Types, Lines              Functions, Files, At
//
// The index (index.go) is made by a walk over all of .debug_info (build.go,
// scan.go) and says which functions there are, where, and where their DIEs
// stand. All else is read when it is asked for, in files that are named after the
// sections: abbrev, info, line, ranges, loc, frame. A thin copy (thin.go) is
// debuginfo of some units only, for machines that have none.
//
// The format is DWARF 5 (dwarfstd.org), and 4 and before where it differs.
// Hostile data ends in an error, never in a panic or a loop without end.
package dwarf
