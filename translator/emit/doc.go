// SPDX-License-Identifier: GPL-2.0-or-later

// Package emit writes a typed program as C.
//
// Emit analyses the program as a whole, then writes it:
//
// \tanalysis  what each function and handler does: globals it uses, calls it
// \t          makes, loops it nests (analysis.go, visit.go)
// \tbounds    how long each string can get (bounds.go)
// \tgroups    which globals share a lock, and which are kept per CPU (groups.go)
// \ttails     code that many handlers share is split off (heads.go, tails.go)
// \tbody      one C function for each handler and script function: statements
// \t          (stmt.go, loops.go), expressions (expr.go, strings.go, arrays.go,
// \t          stats.go, print.go) and the frames of their strings (body.go, strings.go)
// \tdata      the C types of each array and statistic (data.go), and lookups of
// \t          elements, shared by arrays with the same types of keys (keys.go)
// \ttables    probes, points, gs_program, the manifest (tables.go); the arrays,
// \t          for the runtime to allocate and join (arraytable.go)
//
// The C is freestanding: it includes gostap.h and nothing else. Guru code that includes kernel headers
// goes into a file of its own (embedded.go), as does the tapset library's embedded C (library.go).
//
// An expression becomes a value: C text that may be used once, behind the statements that compute it.
// An operation that may fail is followed by a test of c->error and a goto: to the catch block around
// it, or to the function's end.
package emit
