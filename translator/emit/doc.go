// SPDX-License-Identifier: GPL-2.0-or-later

// Package emit writes a typed program as C.
//
// Emit first looks at the program as a whole, then writes:
//
//	analysis  what each function and handler does: globals it touches, calls it
//	          makes, loops it nests (analysis.go, visit.go)
//	bounds    how long each string can get (bounds.go)
//	groups    which globals share a lock, and which are kept per CPU (groups.go)
//	body      one C function for each handler and script function: statements
//	          (stmt.go, loops.go), expressions (expr.go, strings.go, arrays.go,
//	          stats.go, print.go) and where its strings live (body.go, strings.go)
//	data      the C types of each array and statistic (data.go), and how elements
//	          are found, alike for arrays whose keys look alike (keys.go)
//	tables    probes, points, gs_program, the manifest (tables.go); what arrays
//	          there are, for the runtime to make and join (arraytable.go)
//
// The C is freestanding: it includes gostap.h and nothing else. Guru code that
// includes kernel headers goes into a file of its own (embedded.go), as does
// the tapset library's (library.go).
//
// An expression becomes a value: C text that may be used once, after the
// statements that it took have been written. What may go wrong is followed by
// a test of c->error and a goto: to the catch block around it, or out.
package emit
