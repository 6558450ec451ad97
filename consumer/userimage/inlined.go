// SPDX-License-Identifier: GPL-2.0-or-later

package userimage

import (
	"debug/dwarf"
	"slices"

	"gostap/internal/qualified"
)

// An Inlined is an inlined copy of a function, with the position of some code in its source.
type Inlined struct {
	Name string
	File string
	Line int
}

// Position returns the position in the source of the code at addr, as linked: the inlined
// copies that contain it, the innermost first, and file and line in the function around
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
		// The line table has the position of the code; each copy has the position of its call.
		copies = append(copies, Inlined{call.name, file, line})
		file, line = call.file, call.line
	}
	return copies, file, line
}

// An inlinedCall is an inlined copy of a function, with the position of the call.
type inlinedCall struct {
	name, file string
	line       int
}

// Bounds of the depth of copies in copies, and of the addresses in the cache.
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

// nameOf returns a function's name, also that of its abstract origin or declaration; "" if there is none.
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
