// SPDX-License-Identifier: GPL-2.0-or-later

// Package check is the second half of pass 2: it turns the result of elaboration, syntax trees and the
// sites of their probe points, into a typed program.Program.
//
// The check has four steps, each linear in the size of the program:
//
// \tlower    names are resolved to variables and functions (scope.go, overload.go,
// \t         lower_*.go); constants are folded, and branches dropped whose
// \t         condition is a constant (fold.go)
// \telide    code that has no effect and variables that are never used are dropped,
// \t         with a warning if the user wrote them (unused.go, effects.go); then
// \t         conditions are checked (condition.go)
// \tinfer    every variable, array key, parameter and result gets its type by
// \t         unification (types.go, infer.go)
// \tfinish   types, formats, statistics and names are written into the
// \t         program (finish.go, print.go, stat.go)
//
// Elision comes before inference, as in SystemTap: tapset aliases set variables that few handlers read,
// and an unused variable needs neither a type nor a value that can be read in the kernel.
//
// The check continues after errors; errors that only follow from another are not reported.
package check
