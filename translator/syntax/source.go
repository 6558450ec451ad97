// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"bytes"
	"fmt"
	"strings"
)

// Origin is the origin of a Source: it determines what is allowed (embedded C in a tapset needs no guru
// mode) and which warnings there are.
type Origin uint8

const (
	User   Origin = iota // the script named on the command line, or -e
	Tapset               // a .stp file of the tapset library
	Macros               // a .stpm file of the tapset library
)

// A Source is one text that positions refer to.
type Source struct {
	Path   string // as diagnostics show it; "<input>" for -e and standard input
	Text   []byte
	Origin Origin

	// Expansion is the position of the invocation of the macro whose body this text is; invalid for
	// files.
	Expansion Pos
}

// A Pos is a position in a Source. The zero Pos is invalid.
type Pos struct {
	Source    *Source
	Line, Col int32 // both are counted from 1; Col in bytes
}

// IsValid reports whether p is a position.
func (p Pos) IsValid() bool { return p.Source != nil }

// String returns "path:line:col".
func (p Pos) String() string {
	if !p.IsValid() {
		return "<unknown>"
	}
	return fmt.Sprintf("%s:%d:%d", p.Source.Path, p.Line, p.Col)
}

// Less orders positions of one source.
func (p Pos) Less(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

// LineText returns the line that p is on, without its newline.
func (p Pos) LineText() string {
	if !p.IsValid() {
		return ""
	}
	text := string(p.Source.Text)
	for n := p.Line; n > 1; n-- {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			return ""
		}
		text = text[i+1:]
	}
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(text, "\r")
}

// lineAt returns the line that p is on as LineText does, without a copy.
func (s *Source) lineAt(p Pos) []byte {
	text := s.Text
	for n := p.Line; n > 1; n-- {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			return nil
		}
		text = text[i+1:]
	}
	return text
}
