// SPDX-License-Identifier: GPL-2.0-or-later

// Package elaborate is pass 2: it finds what a script's probe points stand for.
//
//	elaborated, diags := elaborate.Elaborate(files, library, target)
//
// From the user's probes it goes (elaborate.go) through the aliases that they
// name (alias.go, aliasmatch.go) to the kinds of probe points, in package probetype, which turn a
// probe point into probe sites, with the target variables there: package vars. Sites
// at which the same code runs share one program.ElaboratedProbe (coalesce.go). On
// its way it resolves what stands in the handlers (resolve.go) and pulls in what
// they refer to from the tapset library (include.go), package library. Types of
// what the script's variables point to come last (autocast.go). Variables that
// debuginfo knows only as what a register held at the function's entry get a
// second probe there, which keeps it (entryvalue.go).
//
// What a kernel contains comes from package image and those below, and is only
// asked for by scripts that need it. Expander answers what is asked beside the
// passes, in package query.
package elaborate
