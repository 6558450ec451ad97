// SPDX-License-Identifier: GPL-2.0-or-later

// Package vars turns target variables - $x->y, $return, @var, @cast, $$parms -
// into expressions of a program.
//
// A Resolver (resolver.go) resolves the variables of one probe site. What is known there
// depends on the kind of site (sites.go): a function's entry or return by its
// prototype in BTF, an instruction by debuginfo alone, a tracepoint, a kprobe
// without any variables, or no site at all (functions, conditions). A resolution (resolution.go)
// follows one expression of the script: from where a variable starts, in
// argument registers (params.go), where debuginfo says (scope.go, source.go),
// at a global's address (global.go) or where a cast points to (cast.go), through
// members and indexes (location.go), to a load or, for $x$ and $$vars, a
// sprintf (pretty.go).
package vars
