// SPDX-License-Identifier: GPL-2.0-or-later

// Package elaborate is pass 2: it finds what a script's probe points stand for.
//
//	elaborated, diags := elaborate.Elaborate(files, library, target)
//
// From the user's probes it goes (elaborate.go) through the aliases that they
// name (alias.go, aliasmatch.go) to the kinds of probe points, in package probetype, which turn a
// probe point into probe sites, with the target variables there: package vars. Sites
// at which the same code runs share one program.ElaboratedProbe (coalesce.go). Target
// variables in the handlers are resolved (resolve.go), and what the handlers refer to in
// the tapset library is included (include.go; package library). The types that the script's
// variables point to are inferred last (autocast.go). If debuginfo locates a variable
// only by the value of a register at the function's entry, a second probe is added
// there, which saves the value (entryvalue.go).
//
// What a kernel contains is read by package image and those below it, when a script
// needs it. An Expander (expand.go) expands probe points for package query.
package elaborate
