// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"strings"

	"gostap/translator/syntax"
)

// A writer gathers lines of C, indented.
type writer struct {
	bytes.Buffer
	indent int
}

// line writes one line; with an empty format an empty one.
func (w *writer) line(format string, args ...any) {
	if format != "" {
		for range w.indent {
			w.WriteByte('\t')
		}
		fmt.Fprintf(w, format, args...)
	}
	w.WriteByte('\n')
}

// open writes a line and indents what follows; close ends that.
func (w *writer) open(format string, args ...any) {
	w.line(format, args...)
	w.indent++
}

func (w *writer) close(format string, args ...any) {
	w.indent--
	w.line(format, args...)
}

// at writes a #line directive for pos in the script.
func (w *writer) at(pos syntax.Pos) {
	pos = scriptPos(pos)
	if pos.IsValid() {
		fmt.Fprintf(w, "#line %d %s\n", pos.Line, cString(pos.Source.Path))
	}
}

// scriptPos returns pos or, for a macro's text, the position of the macro's invocation in the script.
func scriptPos(pos syntax.Pos) syntax.Pos {
	for pos.IsValid() && pos.Source.Expansion.IsValid() {
		pos = pos.Source.Expansion
	}
	return pos
}

// cString returns s as a C string literal.
func cString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// maxName bounds the length of a script's name within a C name: symbols of modules have up to 511
// bytes.
const maxName = 200

// cName turns a script's name into a part of a C identifier. The end of a long name is replaced by a
// hash.
func cName(s string) string {
	if len(s) > maxName {
		h := fnv.New64a()
		h.Write([]byte(s))
		s = fmt.Sprintf("%s_%x", s[:maxName], h.Sum64())
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, s)
}

// number returns n as a C constant of type gs_s64.
func number(n int64) string {
	if n == -1<<63 {
		return "GS_MIN"
	}
	if n < 0 {
		return fmt.Sprintf("(%dLL)", n)
	}
	return fmt.Sprintf("%dLL", n)
}
