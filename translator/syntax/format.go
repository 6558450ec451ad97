// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"bytes"
	"slices"
	"strings"
)

// Format lays out a script in the canonical form. It works on the text as it is written, before the
// preprocessor, so that conditionals, macros and arguments are kept, as well as comments and optional
// line breaks. The result has the same tokens. Only a text that can't be split into tokens is an error.
//
// \tout, diags := syntax.Format(src)
//
// The layout: four spaces for each level; { at the end of the line that it belongs to and } on a line
// of its own; at most one empty line in a row; one space around binary operators, none at others.
func Format(src *Source) ([]byte, Diagnostics) {
	items, diags := scanItems(src)
	if diags.Err() != nil {
		return nil, diags
	}
	findRoles(items)
	f := &formatter{}
	for i := range items {
		f.item(&items[i])
	}
	return f.out.Bytes(), nil
}

// A formatter lays out items one by one.
type formatter struct {
	out  bytes.Buffer
	prev *item // the last one that was written

	layout
	blocks []layout // around the open blocks
	conds  []layout // at the open %(
}

// A layout is the state that determines the indentation of a line.
type layout struct {
	indent int   // of the block's statements
	hang   int   // additional levels of the statement of an if or a loop without braces
	ifs    []int // the hangs of the ifs that may have an else
	parens int   // open ( and [
	blocks int   // the number of blocks at the opening
}

// item writes one item and the white space before it.
func (f *formatter) item(it *item) {
	if it.kind == tEOF && !it.comment {
		if f.prev != nil {
			f.out.WriteByte('\n')
		}
		return
	}
	breaks := f.breaks(it)
	f.before(it)
	switch {
	case f.prev == nil:
	case breaks > 0:
		f.settle(it)
		f.out.WriteString("\n\n"[:breaks])
		f.out.WriteString(strings.Repeat(indentation, max(0, f.column(it))))
	case space(f.prev, it):
		f.out.WriteByte(' ')
	}
	f.write(it)
	f.after(it)
	f.prev = it
}

// breaks returns the number of line breaks before it.
func (f *formatter) breaks(it *item) int {
	prev := f.prev
	switch {
	case prev == nil:
		return 0
	case prev.comment && prev.line:
		n := max(it.breaks, 1)
		if it.role == blockClose {
			n = 1
		}
		return n
	case it.role == blockClose:
		return 1
	case prev.role == blockOpen && (!it.comment || it.breaks > 0):
		if it.role == emptyClose {
			return 0
		}
		return 1
	case it.comment:
		return it.breaks
	case prev.comment:
		return it.breaks
	case prev.role == blockClose || prev.role == emptyClose:
		switch it.kind {
		case tElse, tCatch, tComma:
			return 0
		case tSemi, tRParen, tRBrack, tCondElse, tCondClose:
			return it.breaks
		}
		return max(it.breaks, 1)
	case prev.kind == tSemi && f.parens == 0 && it.kind != tCondElse && it.kind != tCondClose:
		return max(it.breaks, 1)
	case it.role == blockOpen && f.belongs():
		return 0
	case it.role == declStart && !isCond(prev.kind):
		return max(it.breaks, 1)
	case it.kind == tElse:
		return min(it.breaks, 1)
	}
	return it.breaks
}

func isCond(k kind) bool { return k >= tCondOpen && k <= tCondClose }

// belongs reports whether a block that opens here belongs to the last item.
func (f *formatter) belongs() bool {
	switch f.prev.role {
	case headClose, governing:
		return true
	}
	switch f.prev.kind {
	case tElse, tTry, tCatch:
		return true
	}
	return f.prev.header != noHeader && !isCond(f.prev.kind)
}

// before updates the state for closing brackets, before their line is indented.
func (f *formatter) before(it *item) {
	if it.comment {
		return
	}
	switch it.kind {
	case tRBrace:
		if it.role != listClose && len(f.blocks) > 0 {
			f.layout = f.blocks[len(f.blocks)-1]
			f.blocks = f.blocks[:len(f.blocks)-1]
		}
	case tRParen, tRBrack:
		f.parens = max(f.parens-1, 0)
	case tCondElse:
		if n := len(f.conds); n > 0 {
			f.layout = f.conds[n-1]
			f.layout.ifs = slices.Clone(f.layout.ifs)
			f.blocks = f.blocks[:min(len(f.blocks), f.layout.blocks)]
		}
	case tCondClose:
		if n := len(f.conds); n > 0 {
			f.conds = f.conds[:n-1]
		}
	}
}

// settle determines the hang of the statement of which it is the first item.
func (f *formatter) settle(it *item) {
	governed := f.governs()
	switch {
	case f.parens > 0 || f.blockEnd(it):
	case governed && it.role != blockOpen:
		f.hang++
	case it.comment:
		// The next line determines the hang.
	case it.kind == tElse:
		if n := len(f.ifs); n > 0 {
			f.hang = f.ifs[n-1]
		}
	case f.continuation(it) == 0 && it.kind != tCondThen:
		f.hang = 0
		f.ifs = nil
	}
}

// governs reports whether the last word must be followed by a statement that it governs.
func (f *formatter) governs() bool {
	return !f.prev.comment && (f.prev.role == governing || f.prev.kind == tElse)
}

// blockEnd reports whether it closes a block: its hang is that of the opening.
func (f *formatter) blockEnd(it *item) bool {
	return it.role == blockClose || it.role == emptyClose
}

// column returns the indentation of a line that begins with it.
func (f *formatter) column(it *item) int {
	n := f.indent + f.hang + len(f.conds) + f.continuation(it)
	if !it.comment {
		switch it.kind {
		case tCondThen, tCondElse:
			n--
		}
	}
	return min(n, maxIndent)
}

// maxIndent bounds the levels that are shown, and with them the size of the output for a text that
// consists of braces.
const maxIndent = 100

// continuation returns 1 if it begins a line that continues the previous one.
func (f *formatter) continuation(it *item) int {
	if f.blockEnd(it) || !it.comment && isCond(it.kind) {
		return 0
	}
	if f.parens > 0 {
		return 1
	}
	if !it.comment && continues(it) {
		return 1
	}
	prev := f.prev
	switch {
	case prev.comment:
		return 0
	case prev.header != noHeader:
		switch prev.kind {
		case tComma, tAssign, tAddAssign, tDot, tProbe, tGlobal:
			return 1
		}
		return 0
	case prev.role == postfix:
		return 0
	}
	if prev.kind == tQuestion || prev.kind == tColon || isInfix(prev.kind) {
		return 1
	}
	return 0
}

// continues reports whether it, at the start of a line, continues the line before.
func continues(it *item) bool {
	if it.role == prefix || it.role == postfix || it.role == member {
		return false
	}
	switch it.kind {
	case tQuestion, tColon, tArrow:
		return true
	}
	return isInfix(it.kind)
}

func isInfix(k kind) bool { return precedence[k] != 0 || k >= tAssign && k <= tAggregate }

// after updates the state for brackets that it opens.
func (f *formatter) after(it *item) {
	if it.comment {
		return
	}
	switch it.kind {
	case tLBrace:
		if it.role == blockOpen {
			f.blocks = append(f.blocks, f.layout)
			f.layout = layout{indent: f.indent + f.hang + 1, blocks: len(f.blocks)}
		}
	case tLParen, tLBrack:
		f.parens++
	case tCondOpen:
		saved := f.layout
		saved.ifs = slices.Clone(saved.ifs)
		f.conds = append(f.conds, saved)
	case tIf:
		if it.role != member {
			f.ifs = append(f.ifs, f.hang)
		}
	case tElse:
		if n := len(f.ifs); n > 0 {
			f.ifs = f.ifs[:n-1]
		}
	}
}

// write writes the item's text. If each line of a comment begins with *, these are aligned.
func (f *formatter) write(it *item) {
	if !it.comment || !strings.Contains(it.text, "\n") {
		f.out.WriteString(it.text)
		return
	}
	lines := strings.Split(it.text, "\n")
	starred := true
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\r\v\f")
		starred = starred && (i == 0 || strings.HasPrefix(strings.TrimLeft(l, " \t"), "*"))
	}
	written := f.out.Bytes()
	margin := len(written) - (bytes.LastIndexByte(written, '\n') + 1)
	f.out.WriteString(lines[0])
	for _, l := range lines[1:] {
		f.out.WriteByte('\n')
		if starred {
			l = strings.Repeat(" ", margin+1) + strings.TrimLeft(l, " \t")
		}
		f.out.WriteString(l)
	}
}
