// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"path"
	"slices"
	"sort"
)

// A Row is a row of the line table: the line of the code from Addr on.
type Row struct {
	Addr   uint64
	File   uint32 // in the unit's files
	Line   uint32
	IsStmt bool // a good place for a breakpoint
	End    bool // the first address behind a sequence
}

// A lineTable is a unit's part of .debug_line.
type lineTable struct {
	files []string // by number
	rows  []Row    // by address, sequence by sequence
}

// maxLineFiles and maxRows bound what one unit may have.
const (
	maxLineFiles = 1 << 16
	maxRows      = 1 << 24
)

// lineTable returns the unit's line table, which is read once.
func (u *unit) lineTable() (*lineTable, error) {
	u.lines.Do(func() {
		u.table = &lineTable{}
		if !u.hasLines {
			return
		}
		p, err := u.lineProgram()
		if err == nil {
			err = p.run(u.table)
		}
		u.linesErr = err
	})
	return u.table, u.linesErr
}

// fileNames returns the paths of the unit's files by number, without running
// the line program.
func (u *unit) fileNames() ([]string, error) {
	if !u.hasLines {
		return nil, nil
	}
	p, err := u.lineProgram()
	if err != nil {
		return nil, err
	}
	return p.files, nil
}

// A lineProgram is a unit's part of .debug_line: a header, and instructions that make
// the rows.
type lineProgram struct {
	minLength   uint64
	maxOps      uint64
	defaultStmt bool
	lineBase    int8
	lineRange   uint8
	opcodeBase  uint8
	lengths     []byte // of the standard opcodes' operands
	files       []string
	code        buf
	version     uint16
}

func (u *unit) lineProgram() (*lineProgram, error) {
	b := bufAt(u.f.line, u.stmtList)
	b, dwarf64 := b.unit()
	p := &lineProgram{version: b.u16()}
	if b.bad || p.version < 2 || p.version > 5 {
		return nil, errDWARF
	}
	if p.version >= 5 {
		b.u16() // sizes of addresses and segment selectors
	}
	length := b.offset(dwarf64)
	if b.bad || length > uint64(b.left()) {
		return nil, errDWARF
	}
	p.code = buf{data: b.data, at: b.at + int(length)}
	b.data = b.data[:p.code.at]
	p.minLength = uint64(b.u8())
	p.maxOps = 1
	if p.version >= 4 {
		p.maxOps = uint64(b.u8())
	}
	p.defaultStmt = b.u8() != 0
	p.lineBase, p.lineRange, p.opcodeBase = int8(b.u8()), b.u8(), b.u8()
	if b.bad || p.opcodeBase == 0 || p.lineRange == 0 || p.maxOps == 0 {
		return nil, errDWARF
	}
	p.lengths = b.take(uint64(p.opcodeBase - 1))
	if p.version >= 5 {
		// The form of its offsets depends on its own format, 32-bit or 64-bit, not on the unit's.
		as := &unit{header: u.header, f: u.f, strOffsets: u.strOffsets, addrBase: u.addrBase}
		as.dwarf64 = dwarf64
		p.files = as.entries5(&b)
	} else {
		p.files = u.entries4(&b)
	}
	if b.bad {
		return nil, errDWARF
	}
	for i := range p.files {
		p.files[i] = u.sourcePath(p.files[i])
	}
	return p, nil
}

// sourcePath returns a source's path, absolute if the file's paths are.
func (u *unit) sourcePath(name string) string {
	if !u.f.absolute || name == "" || path.IsAbs(name) {
		return name
	}
	return path.Join(u.dir, name)
}

// entries4 reads the folders and files of DWARF 2 to 4; file 1 is the first.
func (u *unit) entries4(b *buf) []string {
	dirs := []string{""}
	for len(dirs) < maxLineFiles {
		dir := b.text()
		if dir == "" {
			break
		}
		dirs = append(dirs, dir)
	}
	files := []string{u.name}
	for len(files) < maxLineFiles {
		name := b.text()
		if name == "" {
			break
		}
		dir := b.uleb()
		b.uleb()
		b.uleb()
		files = append(files, joinPath(dirs, dir, name))
	}
	return files
}

// entries5 reads the folders and files of DWARF 5; file 0 is the unit's own.
func (u *unit) entries5(b *buf) []string {
	read := func(each func(name string, dir uint64)) {
		const contentPath, contentDir = 1, 2
		type format struct {
			content uint64
			form    form
		}
		formats := make([]format, b.u8())
		for i := range formats {
			formats[i] = format{b.uleb(), form(b.uleb())}
		}
		n := b.uleb()
		if n > maxLineFiles || len(formats) == 0 && n > 0 {
			b.bad = true
			return
		}
		for range n {
			var name string
			var dir uint64
			for _, f := range formats {
				v := u.value(b, f.form, 0)
				switch f.content {
				case contentPath:
					name = v.s
				case contentDir:
					dir = v.u
				}
			}
			if b.bad {
				return
			}
			each(name, dir)
		}
	}
	var dirs, files []string
	read(func(name string, _ uint64) { dirs = append(dirs, name) })
	if len(dirs) > 0 {
		dirs[0] = "" // the compiler's folder
	}
	read(func(name string, dir uint64) { files = append(files, joinPath(dirs, dir, name)) })
	return files
}

// joinPath returns a file's path, relative to the compiler's folder or absolute.
func joinPath(dirs []string, dir uint64, name string) string {
	if path.IsAbs(name) || dir >= uint64(len(dirs)) || dirs[dir] == "" {
		return path.Clean(name)
	}
	return path.Join(dirs[dir], name)
}

// DW_LNS_* and DW_LNE_*
const (
	lnsCopy             = 1
	lnsAdvancePC        = 2
	lnsAdvanceLine      = 3
	lnsSetFile          = 4
	lnsSetColumn        = 5
	lnsNegateStmt       = 6
	lnsConstAddPC       = 8
	lnsFixedAdvancePC   = 9
	lnsSetISA           = 12
	lneEndSequence      = 1
	lneSetAddress       = 2
	lneSetDiscriminator = 4
)

// run executes the program. Sequences are sorted by their addresses.
func (p *lineProgram) run(t *lineTable) error {
	t.files = p.files
	b := &p.code
	type sequence struct{ first, end int }
	var sequences []sequence
	first := 0
	var row Row
	var opIndex uint64
	reset := func() {
		row = Row{File: 1, Line: 1, IsStmt: p.defaultStmt}
		opIndex = 0
	}
	advance := func(by uint64) {
		if p.maxOps == 1 {
			row.Addr += p.minLength * by
			return
		}
		row.Addr += p.minLength * ((opIndex + by) / p.maxOps)
		opIndex = (opIndex + by) % p.maxOps
	}
	reset()
	for b.left() > 0 && len(t.rows) < maxRows {
		op := b.u8()
		if op >= p.opcodeBase {
			op -= p.opcodeBase
			advance(uint64(op / p.lineRange))
			row.Line = uint32(int64(row.Line) + int64(p.lineBase) + int64(op%p.lineRange))
			t.rows = append(t.rows, row)
			continue
		}
		switch op {
		case 0:
			n := b.uleb()
			arg := buf{data: b.take(n)}
			if b.bad {
				return errDWARF
			}
			switch arg.u8() {
			case lneEndSequence:
				row.End = true
				t.rows = append(t.rows, row)
				sequences = append(sequences, sequence{first, len(t.rows)})
				first = len(t.rows)
				reset()
			case lneSetAddress:
				row.Addr = arg.uint(arg.left())
				opIndex = 0
			case lneSetDiscriminator:
			}
		case lnsCopy:
			t.rows = append(t.rows, row)
		case lnsAdvancePC:
			advance(b.uleb())
		case lnsAdvanceLine:
			row.Line = uint32(int64(row.Line) + b.sleb())
		case lnsSetFile:
			row.File = uint32(b.uleb())
		case lnsSetColumn, lnsSetISA:
			b.uleb()
		case lnsNegateStmt:
			row.IsStmt = !row.IsStmt
		case lnsConstAddPC:
			advance(uint64((255 - p.opcodeBase) / p.lineRange))
		case lnsFixedAdvancePC:
			row.Addr += uint64(b.u16())
			opIndex = 0
		default:
			for range p.lengths[op-1] {
				b.uleb()
			}
		}
		if b.bad {
			return errDWARF
		}
	}
	sort.SliceStable(sequences, func(i, j int) bool { return t.rows[sequences[i].first].Addr < t.rows[sequences[j].first].Addr })
	sorted := make([]Row, 0, len(t.rows))
	for _, s := range sequences {
		rows := t.rows[s.first:s.end]
		if !slices.IsSortedFunc(rows, compareRows) {
			slices.SortStableFunc(rows, compareRows)
		}
		sorted = append(sorted, rows...)
	}
	t.rows = sorted
	return nil
}

func compareRows(a, b Row) int {
	switch {
	case a.Addr < b.Addr:
		return -1
	case a.Addr > b.Addr:
		return 1
	}
	return 0
}

// file returns the path of the file of that number.
func (t *lineTable) file(n uint32) string {
	if int(n) < len(t.files) {
		return t.files[n]
	}
	return ""
}

// at returns the row that pc is in.
func (t *lineTable) at(pc uint64) (Row, bool) {
	i := sort.Search(len(t.rows), func(i int) bool { return t.rows[i].Addr > pc })
	if i == 0 || t.rows[i-1].End {
		return Row{}, false
	}
	return t.rows[i-1], true
}
