// SPDX-License-Identifier: GPL-2.0-or-later

package gopclntab

import (
	"encoding/binary"
	"math"

	"github.com/pkg/errors"
)

// A Frame is a function's frame by the table.
type Frame struct {
	Func
	Top    bool // it has no caller
	Writes bool // it switches stacks: its caller's frame is not known from the stack pointer
	Rows   []FrameRow
}

// A FrameRow is valid from Addr on, as linked: the stack pointer is Depth bytes below its value at the
// function's entry; above it, if the function has popped its return address.
type FrameRow struct {
	Addr  uint64
	Depth int32
}

// Offsets of fields in the table's header, since Go 1.18, and in functions: struct pcHeader in
// src/runtime/symtab.go, struct _func in src/runtime/runtime2.go.
const (
	magic118, magic120 = 0xfffffff0, 0xfffffff1
	headerPCTab        = 7 * 8
	headerFuncs        = 8 * 8
	headerSize         = 9 * 8
	funcPCSP, funcFlag = 4 * 4, 10*4 + 1
	funcSize           = 11 * 4
	topFrame, writesSP = 1, 2 // flags
	maxDepth           = math.MaxInt32 - 8
)

var errFrames = errors.New("damaged .gopclntab")

// Frames calls each for all functions, by address. Tables of Go before 1.18 have another form, and no frames are returned.
func (t *Table) Frames(each func(*Frame) error) error {
	le := binary.LittleEndian
	if len(t.data) < headerSize {
		return nil
	}
	if magic := le.Uint32(t.data); magic != magic118 && magic != magic120 || t.data[7] != 8 {
		return nil
	}
	size := uint64(len(t.data))
	pctab, funcs := le.Uint64(t.data[headerPCTab:]), le.Uint64(t.data[headerFuncs:])
	if pctab > size || funcs > size {
		return errFrames
	}
	at := map[uint64]uint32{} // functions' descriptions by their addresses
	n := le.Uint64(t.data[8:])
	if n > (size-funcs)/8 {
		return errFrames
	}
	for i := range n {
		entry := t.data[funcs+8*i:]
		at[t.start+uint64(le.Uint32(entry))] = le.Uint32(entry[4:])
	}
	for _, fn := range t.Funcs {
		off, ok := at[fn.Addr]
		if !ok || funcs+uint64(off)+funcSize > size {
			return errFrames
		}
		info := t.data[funcs+uint64(off):]
		sp := pctab + uint64(le.Uint32(info[funcPCSP:]))
		if sp > size {
			return errFrames
		}
		flags := info[funcFlag]
		f := &Frame{Func: fn, Top: flags&topFrame != 0, Writes: flags&writesSP != 0}
		if sp != pctab { // else it has no table
			if f.Rows, ok = frameRows(t.data[sp:], fn); !ok {
				return errFrames
			}
		}
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

// frameRows decodes a function's depths: pairs of numbers, by how much the depth changes and for how many bytes of code it holds.
func frameRows(code []byte, fn Func) (rows []FrameRow, ok bool) {
	addr, depth := fn.Addr, -1
	for addr < fn.Addr+fn.Size {
		change, n := binary.Uvarint(code)
		if n <= 0 {
			return nil, false
		}
		if change == 0 && len(rows) > 0 {
			break
		}
		length, more := binary.Uvarint(code[n:])
		if more <= 0 || length > fn.Size || change > math.MaxUint32 {
			return nil, false
		}
		depth += int(-int32(change&1) ^ int32(change>>1))
		if depth < -maxDepth || depth > maxDepth {
			return nil, false
		}
		rows = append(rows, FrameRow{addr, int32(depth)})
		addr += length
		code = code[n+more:]
	}
	return rows, true
}
