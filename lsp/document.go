// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"gostap/translator/syntax"
)

// A document is a version of a text in the editor. It is immutable: a change makes a new one.
type document struct {
	uri     string
	version int
	text    string
	src     *syntax.Source
	lines   []int // offsets of the lines' beginnings
}

func newDocument(uri string, version int, text string) *document {
	d := &document{uri: uri, version: version, text: text, lines: []int{0}}
	d.src = &syntax.Source{Path: pathOf(uri), Text: []byte(text)}
	for i := range len(text) {
		if text[i] == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// pathOf returns the file of a URI, or the URI if it is not that of a file.
func pathOf(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" {
		return u.Path
	}
	return uri
}

// changed returns the document after changes, each of which applies to the result of the previous one.
func (d *document) changed(version int, changes []change) *document {
	for _, c := range changes {
		text := c.Text
		if c.Range != nil {
			begin, end := d.offset(c.Range.Start), d.offset(c.Range.End)
			text = d.text[:begin] + c.Text + d.text[max(begin, end):]
		}
		d = newDocument(d.uri, version, text)
	}
	return d
}

// line returns a line, numbered from 0, without its newline.
func (d *document) line(n int) string {
	text := d.text[d.lines[n]:]
	if n+1 < len(d.lines) {
		text = d.text[d.lines[n]:d.lines[n+1]]
	}
	return strings.TrimRight(text, "\r\n")
}

// offset returns the byte offset of a position. By the protocol, a position behind a line's end stands
// for that end, and one behind the last line for the text's end.
func (d *document) offset(p Position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(d.lines) {
		return len(d.text)
	}
	line, units := d.line(p.Line), 0
	for i, r := range line {
		if units >= p.Character {
			return d.lines[p.Line] + i
		}
		units += utf16Len(r)
	}
	return d.lines[p.Line] + len(line)
}

// position returns the position of a byte offset.
func (d *document) position(offset int) Position {
	offset = min(max(offset, 0), len(d.text))
	low, high := 0, len(d.lines)
	for high-low > 1 {
		if mid := (low + high) / 2; d.lines[mid] <= offset {
			low = mid
		} else {
			high = mid
		}
	}
	p := Position{Line: low}
	for _, r := range d.text[d.lines[low]:offset] {
		p.Character += utf16Len(r)
	}
	return p
}

// span returns the range of the bytes from begin to before end.
func (d *document) span(begin, end int) Range { return Range{d.position(begin), d.position(end)} }

// utf16Len is the number of UTF-16 code units of r; editors receive a byte that is not UTF-8 as U+FFFD.
func utf16Len(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// at returns the byte offset of a position of the passes.
func (d *document) at(p syntax.Pos) int {
	line := int(p.Line) - 1
	if line < 0 || line >= len(d.lines) {
		return len(d.text)
	}
	return min(d.lines[line]+int(p.Col)-1, len(d.text))
}

// word returns the range of the lexeme that begins at offset, or of the character there.
func (d *document) word(lexemes []syntax.Lexeme, offset int) Range {
	for _, l := range lexemes {
		if l.Begin <= offset && offset < l.End {
			end := l.End
			if i := strings.IndexByte(d.text[offset:end], '\n'); i >= 0 {
				end = offset + i
			}
			return d.span(offset, end)
		}
	}
	_, size := utf8.DecodeRuneInString(d.text[offset:])
	if size > 0 && d.text[offset] == '\n' {
		size = 0
	}
	return d.span(offset, offset+size)
}
