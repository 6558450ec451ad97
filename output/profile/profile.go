// SPDX-License-Identifier: GPL-2.0-or-later

// Package profile sums up the stacks of a session, for folded text, flame graphs and pprof.
package profile

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Kind is the kind of a frame's code.
type Kind uint8

// Other is for frames that are not code: the name of a process, a key of an array. Runtime is for the
// code of a language's runtime, and the code that it has generated; Library is for a shared object's,
// User for a program's own.
const (
	Other Kind = iota
	Kernel
	User
	Library
	Runtime
)

var kindNames = [...]string{Other: "", Kernel: "kernel", User: "user", Library: "library", Runtime: "runtime"}

// String returns kernel, user, library or runtime; "" for Other.
func (k Kind) String() string { return kindNames[k] }

// A Frame is a function in a stack.
type Frame struct {
	Name   string // clean: see Clean
	Module string // "kernel", a module's name, or the path of a program or library; "" if there is none
	Kind   Kind
}

// A Profile is a tree of stacks: the outermost frames are the children of its root.
type Profile struct {
	Root Node
}

// A Node is a stack: its parent's with one more frame.
type Node struct {
	Frame
	Parent   *Node
	Self     int64 // number of samples of this stack, without deeper ones
	children map[Frame]*Node
}

// Leaf returns the node of a stack, whose outermost frame comes first.
func (p *Profile) Leaf(stack []Frame) *Node {
	n := &p.Root
	for _, f := range stack {
		child := n.children[f]
		if child == nil {
			child = &Node{Frame: f, Parent: n}
			if n.children == nil {
				n.children = map[Frame]*Node{}
			}
			n.children[f] = child
		}
		n = child
	}
	return n
}

// Children returns the node's children, ordered by name.
func (n *Node) Children() []*Node {
	list := make([]*Node, 0, len(n.children))
	for _, child := range n.children {
		list = append(list, child)
	}
	slices.SortFunc(list, func(a, b *Node) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Module, b.Module), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// Total returns the sum of Self of the node and all below it.
func (n *Node) Total() int64 {
	total := n.Self
	for _, child := range n.children {
		total += child.Total()
	}
	return total
}

// Each calls do with each stack that has samples, the outermost frame first. The slice is overwritten after the call.
func (p *Profile) Each(do func(stack []*Node, value int64)) {
	var stack []*Node
	var walk func(*Node)
	walk = func(n *Node) {
		if n.Self != 0 {
			do(stack, n.Self)
		}
		for _, child := range n.Children() {
			stack = append(stack, child)
			walk(child)
			stack = stack[:len(stack)-1]
		}
	}
	walk(&p.Root)
}

// Clean returns s as a label on one line, in valid UTF-8: control characters and those that change the
// direction of text become U+FFFD.
func Clean(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return strings.Map(cleanRune, strings.ToValidUTF8(s, string(utf8.RuneError)))
		}
	}
	return s
}

// CleanText is Clean for text of several lines: line breaks and tabs are kept.
func CleanText(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && (r < ' ' || r >= 0x7f) }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return cleanRune(r)
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

func cleanRune(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return ' '
	case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
		return utf8.RuneError
	}
	return r
}
