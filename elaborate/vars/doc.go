// SPDX-License-Identifier: GPL-2.0-or-later

// Package vars turns target variables - $x->y, $return, @var, @cast, $$parms -
// into expressions of a program.
//
// A Resolver (resolver.go) resolves the variables of one probe site. What is known there
// depends on the kind of site (sites.go): a function's entry or return by its
// prototype in BTF, an instruction by debuginfo alone, a tracepoint, a kprobe
// without any variables, or no site at all (functions, conditions). A resolution (resolution.go)
// resolves one expression of the script. It begins with the location of a
// variable: in argument registers (params.go), by debuginfo (scope.go,
// source.go), at a global's address (global.go) or at the pointer of a cast
// (cast.go). It follows members and indexes (location.go, element.go), and ends
// with a load or, for $x$ and $$vars, with a sprintf (pretty.go).
package vars
