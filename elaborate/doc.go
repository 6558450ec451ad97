// SPDX-License-Identifier: GPL-2.0-or-later

// Package elaborate is pass 2: it finds what a script's probe points stand for.
//
//	elaborated, diags := elaborate.Elaborate(files, library, target)
//
// From the user's probes it goes (probe.go) through the aliases that they name
// (alias.go) to probe families (family.go, and a file for each), which turn a
// probe point into places: a program.Point, and a Resolver that knows the
// target variables there. Points that would run the same code share one
// program.ElaboratedProbe. On its way it pulls in what the bodies refer to from
// the tapset library (library.go, include.go).
//
// At functions (function.go) the Resolver is vars.go: a target variable starts at
// a parameter's register or at the result (params.go), goes on through members
// and indexes (location.go) and ends as an expression of loads; $x$ and
// $$parms end as a sprintf (pretty.go). List (list.go) answers -l and -L.
//
// Files, lines and inlined copies are found by debuginfo: sourcefunc.go for
// .function, statement.go for .statement, within.go for labels and callees. The
// variables there start where location lists say (sourcevars.go). Lines and Vars
// (ask.go) show what can be asked for. held.go is the probe cache, which serves
// points where the debuginfo is not.
//
// What a kernel contains comes from the packages symbols, btf and dwarf below,
// and is only asked for by scripts that need it.
package elaborate
