// SPDX-License-Identifier: GPL-2.0-or-later

package userimage

import (
	"debug/dwarf"
	"slices"

	"gostap/internal/qualified"
)

// An Inlined is a copy of a function inside another, and where in its source some code of it is.
type Inlined struct {
	Name string
	File string
	Line int
}

// Position returns where in the source the code at addr, as linked, is: the copies of
// functions that it is in, the innermost first, and file and line of the function around
// them, "" if they are not known.
func (im *Image) Position(addr uint64) (copies []Inlined, file string, line int) {
	file, line, ok := im.Line(addr)
	if !ok {
		return nil, "", 0
	}
	if im.lines == nil { // the lines are those of Go's own table
		return nil, file, line
	}
	for _, call := range im.lines.copiesAt(addr) {
		// The code is where the line table says, what called it is where its copy says.
		copies = append(copies, Inlined{call.name, file, line})
		file, line = call.file, call.line
	}
	return copies, file, line
}

// An inlinedCall is a copy of a function, and where that is called.
type inlinedCall struct {
	name, file string
	line       int
}

// How deep copies may be in copies, and for how many addresses they are kept.
const (
	maxInlined  = 64
	keptInlined = 1 << 14
)

// copiesAt returns the copies that cover addr, the innermost first; none where DWARF is damaged, or has names elsewhere.
func (l *lineTables) copiesAt(addr uint64) (calls []inlinedCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if calls, known := l.copies[addr]; known {
		return calls
	}
	defer func() {
		if recover() != nil {
			calls = nil
		}
		if l.copies == nil || len(l.copies) >= keptInlined {
			l.copies = map[uint64][]inlinedCall{}
		}
		l.copies[addr] = calls
	}()
	calls = l.findCopies(addr)
	slices.Reverse(calls)
	return calls
}

// findCopies looks for the copies that cover addr, the outermost first.
func (l *lineTables) findCopies(addr uint64) []inlinedCall {
	r := l.data.Reader()
	unit, err := r.SeekPC(addr)
	if err != nil {
		return nil
	}
	var files []*dwarf.LineFile
	if lines, err := l.data.LineReader(unit); err == nil && lines != nil {
		files = lines.Files()
	}
	var calls []inlinedCall
	for depth := 1; depth > 0 && len(calls) < maxInlined; {
		e, err := r.Next()
		if err != nil || e == nil {
			return nil
		}
		if e.Tag == 0 {
			depth--
			continue
		}
		enter := false
		switch e.Tag {
		case dwarf.TagNamespace:
			enter = true
		case dwarf.TagSubprogram, dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
			enter = l.covers(e, addr)
		}
		if enter && e.Tag == dwarf.TagInlinedSubroutine {
			name := l.nameOf(e, 0)
			if name == "" {
				return nil
			}
			call := inlinedCall{name: name}
			if n, ok := e.Val(dwarf.AttrCallFile).(int64); ok && n >= 0 && n < int64(len(files)) && files[n] != nil {
				call.file = files[n].Name
			}
			if n, ok := e.Val(dwarf.AttrCallLine).(int64); ok {
				call.line = int(n)
			}
			calls = append(calls, call)
		}
		switch {
		case e.Children && enter:
			depth++
		case e.Children:
			r.SkipChildren()
		}
	}
	return calls
}

func (l *lineTables) covers(e *dwarf.Entry, addr uint64) bool {
	ranges, err := l.data.Ranges(e)
	return err == nil && slices.ContainsFunc(ranges, func(r [2]uint64) bool { return r[0] <= addr && addr < r[1] })
}

// nameOf returns a function's name, that of what it is an instance or the definition of; "" if it is not there.
func (l *lineTables) nameOf(e *dwarf.Entry, depth int) string {
	if name, ok := e.Val(dwarf.AttrLinkageName).(string); ok {
		return qualified.Demangled(name)
	}
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		off, ok := e.Val(attr).(dwarf.Offset)
		if !ok || depth > 8 {
			continue
		}
		r := l.data.Reader()
		r.Seek(off)
		if of, err := r.Next(); err == nil && of != nil {
			return l.nameOf(of, depth+1)
		}
	}
	name, _ := e.Val(dwarf.AttrName).(string)
	return name
}
