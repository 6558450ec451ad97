// SPDX-License-Identifier: GPL-2.0-or-later

// Package syntax is pass 1: it turns the text of a script, a tapset file or a
// macro library into a tree.
//
// The text goes through three hands, none of which looks further ahead than one
// token:
//
//	scanner       bytes to raw tokens, %( %) and @define among them
//	preprocessor  evaluates conditionals, pastes arguments, expands macros
//	parser        tokens to a File (ast.go)
//
// Parse runs all three. Print writes a tree as script text again, Format lays
// out a text that has not been preprocessed, with its comments.
//
// The package knows the text and nothing else: whether a name exists, an
// expression has a type or a probe point a place in the kernel is for the
// later passes to say.
package syntax
