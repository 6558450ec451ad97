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
// scan.go) and has all functions, their addresses and the offsets of their
// DIEs. All else is read on demand, by files that are named after the
// sections: abbrev, info, line, ranges and loc (whose entries are in list.go), frame. A subset (subset.go) is
// debuginfo of some units only, for machines that have none.
//
// The format is DWARF 5 (dwarfstd.org), and 4 and before where it differs.
// Hostile data ends in an error, never in a panic or a loop without end.
//
// Tags and attributes are debug/dwarf's, opcodes, register numbers and the rules
// of frames Delve's. The rest is read here, for these reasons, with times
// for the debuginfo of Debian's 6.1.0-56-cloud-amd64 (590 MB, 4.2 million rows of lines):
//   - DIEs: the index is a walk over 7 million of them. scan.go takes 1.9 s for it on two
//     CPUs, as it skips over runs of attributes at once (abbrev.go), with files' names and
//     all that goes into the index; debug/dwarf's Reader takes 5.3 s for the walk alone. It
//     does not follow references into supplements (dwz), nor tell where in the section an
//     attribute stands and in which form, which is what the writer of subsets changes.
//   - Lines: the index needs the names of all files, 328,000 of them. They take 0.11 s here
//     and 0.49 s by debug/dwarf's LineReader; rows take the same time. LineReader makes slices
//     as long as a header claims: a header of 35 bytes that speaks of 2^39 entries ends the process, out
//     of memory, which no recover catches. Delve's pkg/dwarf/line brings its logging and telemetry.
//   - Location lists: Delve's pkg/dwarf/loclist finds the entry for one address;
//     to report where else a variable has a value takes all of them (Variable.Ranges),
//     and a subset their offsets in the section.
//   - Expressions: Delve's pkg/dwarf/op evaluates them with the values of a process
//     that has stopped; here they become trees that a probe evaluates (expr.go).
package dwarf
