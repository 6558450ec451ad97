// SPDX-License-Identifier: GPL-2.0-or-later

// Package check is the second half of pass 2: it turns what elaboration left,
// syntax trees with probe points found, into a typed program.Program.
//
// It goes over the program in four steps, each linear in its size:
//
//	lower    names become variables and functions (scope.go, overload.go,
//	         lower_*.go); constants are folded and the branches that they
//	         decide against dropped (fold.go)
//	elide    what has no effect and what is never used is taken out, with a
//	         warning if the user wrote it (unused.go, effects.go); of what
//	         is left, conditions are looked at (condition.go)
//	infer    every variable, array key, parameter and result gets its type by
//	         unification (types.go, infer.go)
//	finish   types, formats, statistics and names are written into the
//	         program (finish.go, print.go, stat.go)
//
// Elision comes before inference, as in SystemTap: tapset aliases set variables
// that few handlers read, and what is not read needs neither a type nor a place
// in the kernel that it could be read from.
//
// Errors do not stop the check; errors that only follow from another are not reported.
package check
