// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

// space reports whether a space belongs between two items on one line.
func space(prev, it *item) bool {
	if prev.comment || it.comment {
		return true
	}
	if !wantSpace(prev, it) {
		return !lexApart(prev, it)
	}
	return true
}

func wantSpace(prev, it *item) bool {
	switch {
	case it.role == piece:
		return it.spaced
	case prev.role == prefix, prev.role == tight, it.role == tight:
		return false
	case it.role == postfix, it.role == attached:
		return false
	case prev.role == listOpen, it.role == listClose:
		return false
	case it.role == emptyClose:
		return false
	}
	switch prev.kind {
	case tLParen, tLBrack:
		return it.kind == tCondOpen
	}
	switch it.kind {
	case tRParen, tRBrack, tComma, tSemi:
		return false
	}
	return true
}

// lexApart reports whether the two tokens are scanned as the same tokens without a space between them.
func lexApart(prev, it *item) bool {
	s := scanner{src: prev.pos.Source, text: prev.tail() + it.head(), line: 1}
	s.next()
	if s.begin != 0 || s.off != len(prev.tail()) {
		return false
	}
	s.next()
	return s.begin == len(prev.tail())
}

// tail returns the part of the token that affects how the next one is scanned.
func (it *item) tail() string {
	if it.kind == tString || it.kind == tEmbedded {
		return ")" // is a token by itself
	}
	return it.text
}

// head returns the part of the token that affects how the previous one is scanned.
func (it *item) head() string {
	switch it.kind {
	case tString:
		return `""`
	case tEmbedded:
		return "%{%}"
	}
	return it.text
}
