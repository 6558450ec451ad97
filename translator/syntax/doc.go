// SPDX-License-Identifier: GPL-2.0-or-later

// Package syntax is pass 1: it turns the text of a script, a tapset file or a macro library into a
// tree.
//
// The text goes through three stages, with a lookahead of one token:
//
// \tscanner       bytes to raw tokens, including %( %) and @define
// \tpreprocessor  evaluates conditionals, inserts arguments, expands macros
// \tparser        tokens to a File (ast.go)
//
// Parse runs all three. Print writes a tree as script text; Format lays out a text that has not been
// preprocessed, with its comments.
//
// The package does not resolve names, types or probe points: later passes do.
package syntax
