// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"

	"github.com/pkg/errors"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// A scope is an address in code, with the variables that debuginfo has there.
type scope struct {
	*dwarf.Scope
	*image.Source
	full       btf.Named // may be nil
	addr       uint64
	entry      bool // a function's first instruction, where arguments are still in their registers
	resolution *resolution
}

// scope returns the scope of an address in an instance, nil if debuginfo has none.
func (e *Env) scope(src *image.Source, in dwarf.Instance, addr uint64, entry bool) *scope {
	s, err := src.Info.Scope(in, addr)
	if err != nil {
		return nil
	}
	full, _ := src.Types()
	e.Target.AddSource(src.Info)
	return &scope{Scope: s, Source: src, full: full, addr: addr, entry: entry}
}

// key is the same for scopes in which all variables have the same locations.
func (s *scope) key() string { return fmt.Sprintf("at %s %#x %d", s.Source.Name(), s.addr, s.Die) }

// maxWords bounds variables that are in pieces: 256 bytes.
const maxWords = 32

// words joins pieces to words of 8 bytes, with masks of the bits that are lost.
// A word that is lost completely is nil.
func (s *scope) words(at syntax.Pos, pieces []dwarf.Piece, size int64) (words []program.Expr, lost []uint64, err error) {
	if size <= 0 || size > 8*maxWords {
		return nil, nil, fmt.Errorf("it is in pieces, and of %d bytes, which is more than can be joined", size)
	}
	words = make([]program.Expr, (size+7)/8)
	lost = make([]uint64, len(words))
	for w := range lost {
		lost[w] = ^uint64(0)
	}
	pos := int64(0)
	for _, p := range pieces {
		bits := p.Bits
		if bits == 0 {
			bits = 8 * size
		}
		for from := int64(0); from < bits && pos < 8*size; {
			n := min(64-pos%64, bits-from, 8*size-pos)
			x, err := s.part(at, &p, from, n)
			if err != nil {
				return nil, nil, err
			}
			if x != nil {
				w := pos / 64
				lost[w] &^= mask(pos%64, n)
				if pos%64 != 0 {
					x = &program.Binary{At: at, Op: "<<", X: x, Y: &program.Number{At: at, Value: pos % 64}}
				}
				if words[w] != nil {
					x = &program.Binary{At: at, Op: "|", X: words[w], Y: x}
				}
				words[w] = x
			}
			pos += n
			from += n
		}
	}
	return words, lost, nil
}

// mask is n bits from a bit on.
func mask(from, n int64) uint64 { return ^uint64(0) >> (64 - n) << from }

// part returns n bits, at most 64, of a piece from a bit on; nil if they are lost.
func (s *scope) part(at syntax.Pos, p *dwarf.Piece, from, n int64) (program.Expr, error) {
	var x program.Expr
	var err error
	switch p.Kind {
	case dwarf.Nowhere, dwarf.IsPointer:
		return nil, nil
	case dwarf.IsBytes:
		var value int64
		for i := int64(0); i < (n+7)/8; i++ {
			if b := from/8 + i; b < int64(len(p.Bytes)) {
				value |= int64(p.Bytes[b]) << (8 * i)
			}
		}
		return &program.Number{At: at, Value: value}, nil
	case dwarf.InMemory:
		addr, err := s.expr(at, p.X)
		if err != nil {
			return nil, err
		}
		bytes := n / 8
		if n%8 != 0 || from%8 != 0 || bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 {
			return nil, errors.New("it is in pieces of odd sizes")
		}
		return &program.Deref{At: at, Addr: program.Plus(at, addr, from/8), Size: int(bytes), User: s.User()}, nil
	case dwarf.InRegister:
		if !machine.Visible(p.N) && (!machine.Vector(p.N) || from+p.Skip >= 64) {
			return nil, nil // the other parts are known all the same
		}
		x, err = s.register(at, p.N)
	case dwarf.IsValue:
		x, err = s.expr(at, p.X)
	}
	if err != nil {
		return nil, err
	}
	if from+p.Skip >= 64 {
		return &program.Number{At: at}, nil
	}
	if shift := from + p.Skip; shift > 0 {
		x = &program.Binary{At: at, Op: ">>>", X: x, Y: &program.Number{At: at, Value: shift}}
	}
	if n < 64 {
		x = &program.Binary{At: at, Op: "&", X: x, Y: &program.Number{At: at, Value: 1<<n - 1}}
	}
	return x, nil
}

// register returns a register's value.
func (s *scope) register(at syntax.Pos, n int64) (program.Expr, error) {
	if i, ok := machine.Argument(n); ok && s.entry {
		return &program.Argument{At: at, Index: i}, nil
	}
	if !machine.Visible(n) && !(machine.Vector(n) && s.User()) {
		return nil, fmt.Errorf("it is in register %d, which handlers do not see", n)
	}
	return &program.Register{At: at, Number: int(n)}, nil
}

// expr makes a DWARF expression one of the program.
func (s *scope) expr(at syntax.Pos, x *dwarf.Expr) (program.Expr, error) {
	switch x.Op {
	case dwarf.OpConst:
		return &program.Number{At: at, Value: x.N}, nil
	case dwarf.OpAddress:
		return s.Variable(at, uint64(x.N), s.addr)
	case dwarf.OpRegister:
		return s.register(at, x.N)
	}
	inner, err := s.expr(at, x.X)
	if err != nil {
		return nil, err
	}
	switch x.Op {
	case dwarf.OpLoad:
		return &program.Deref{At: at, Addr: inner, Size: int(x.N), User: s.User()}, nil
	case dwarf.OpThread:
		start, err := s.ThreadVariables(at, inner, s.addr)
		return &program.Binary{At: at, Op: "+", X: start, Y: inner}, err
	case dwarf.OpEntry:
		return s.resolution.entryValue(s, x.N, inner)
	case dwarf.OpCast:
		if x.N == 8 {
			return inner, nil
		}
		return &program.Cast{At: at, X: inner, Size: int(x.N), Signed: x.Signed}, nil
	}
	y, err := s.expr(at, x.Y)
	if err != nil {
		return nil, err
	}
	switch x.Op {
	case dwarf.OpCompare:
		return &program.Compare{At: at, Op: x.Name, X: inner, Y: y}, nil
	case dwarf.OpCond:
		z, err := s.expr(at, x.Z)
		return &program.Cond{At: at, If: inner, Then: y, Else: z}, err
	}
	return &program.Binary{At: at, Op: x.Name, X: inner, Y: y}, nil
}

// visible returns the names of the variables that have a value at the scope's address.
func (s *scope) visible() (names []string) {
	for _, v := range s.Variables() {
		if _, err := v.Location(); err == nil {
			names = append(names, "$"+v.Name)
		}
	}
	return names
}

func (s *scope) listVisible() string {
	if names := s.visible(); len(names) > 0 {
		return "here there are " + suggest.Enumerate(names, 40)
	}
	return "no variable has a value here"
}

// spell writes a range of addresses as symbol+offset, with its lines.
func (s *scope) spell(part dwarf.Range) string {
	start, symbol := s.Outermost().Low, s.Symbol
	text := fmt.Sprintf("%s%+#x..%+#x", symbol, int64(part.Low-start), int64(part.High-start))
	if file, line, ok := s.Info.LineAt(part.Low); ok && file == s.Func.File {
		text += fmt.Sprintf(" (from line %d)", line)
	}
	return text
}
