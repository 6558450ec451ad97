// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// A sourceScope is an address as debuginfo knows it.
type sourceScope struct {
	*dwarf.Scope
	*image
	full  *btf.Spec // may be nil
	entry bool      // a function's first instruction, where arguments are still in their registers
	asker *resolution
}

// scope returns what debuginfo says of the probed address, nil if it says nothing.
func (v *functionVars) scope() *sourceScope {
	if v.sought || v.bare || v.module != nil || v.trace != nil {
		return v.source
	}
	v.sought = true
	in, im := v.instance, v.image
	if !v.statement {
		info := v.target.debuginfo.installed(nil)
		if info == nil {
			return nil
		}
		im = v.target.kernelImage(info)
		var ok bool
		if in, ok = info.At(v.addr); !ok {
			return nil
		}
	}
	s, err := im.info.Scope(in, v.addr)
	if err != nil {
		return nil
	}
	full, _ := v.target.types()
	v.target.told(im.info)
	v.source = &sourceScope{Scope: s, image: im, full: full, entry: v.start || !v.statement}
	return v.source
}

// sourceVariable returns the location of a variable by debuginfo.
func (r *resolution) sourceVariable(s *sourceScope, name string) (*location, *syntax.Diagnostic) {
	v := s.Lookup(name)
	if v == nil {
		if found, err := s.info.Globals(name, func(file string) bool { return file == s.UnitName() || file == s.Func.File }); err == nil && len(found) > 0 {
			v = found[0]
		}
	}
	if v == nil {
		return nil, r.noVariable(s, name)
	}
	l, err := r.at(s, v)
	if err != nil {
		return nil, r.gone(s, v, err)
	}
	return l, nil
}

// at returns where a variable is.
func (r *resolution) at(s *sourceScope, v *dwarf.Variable) (*location, error) {
	loc, err := v.Location()
	if err != nil {
		return nil, err
	}
	if s.entry && v.Param && v.Kept() && !strings.Contains(s.Symbol, ".") {
		return r.passed(s, v), nil
	}
	asked := *s
	asked.asker = r
	s = &asked
	l := &location{types: s.info.Types(), full: s.full, at: r.x.At, what: "$" + v.Name, typ: v.Type}
	if len(loc.Pieces) == 1 && loc.Pieces[0].Bits == 0 {
		switch p := loc.Pieces[0]; p.Kind {
		case dwarf.Nowhere:
			return nil, dwarf.ErrOptimizedOut
		case dwarf.InMemory:
			l.addr, err = s.expr(r.x.At, p.X)
			return l, err
		case dwarf.InRegister:
			x, err := s.register(r.x.At, p.N)
			l.regs = []program.Expr{x}
			l.store = x
			return l, err
		}
	}
	size := l.types.Size(l.typ)
	if size == 0 && len(loc.Pieces) == 1 {
		size = int64(len(loc.Pieces[0].Bytes)) // a literal, which has no type
	}
	l.regs, l.lost, err = s.words(r.x.At, loc.Pieces, size)
	l.pointees = r.pointees(s, loc.Pieces)
	return l, err
}

// passed returns where a parameter is passed. That it is kept in one place all
// through the function, as debuginfo says, is not yet so at the first instruction.
func (r *resolution) passed(s *sourceScope, v *dwarf.Variable) *location {
	p := &btf.Proto{Result: s.Result()}
	at := 0
	for _, one := range s.Variables() {
		if !one.Param {
			continue
		}
		if one == v {
			at = len(p.Params)
		}
		p.Params = append(p.Params, btf.Param{Name: one.Name, Type: one.Type})
	}
	l := paramLocation(s.info.Types(), p, at, r.x.At)
	l.full = s.full
	return l
}

// maxWords bounds variables that are in pieces: 256 bytes.
const maxWords = 32

// words joins pieces to words of 8 bytes, and says which of their bits are nowhere.
// A word of which nothing is anywhere is nil.
func (s *sourceScope) words(at syntax.Pos, pieces []dwarf.Piece, size int64) (words []program.Expr, lost []uint64, err error) {
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

// part returns n bits, 64 at most, of a piece from a bit on; nil if they are nowhere.
func (s *sourceScope) part(at syntax.Pos, p *dwarf.Piece, from, n int64) (program.Expr, error) {
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
		return &program.Deref{At: at, Addr: plus(at, addr, from/8), Size: int(bytes)}, nil
	case dwarf.InRegister:
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

// argumentOf are the arguments that DWARF's registers carry at a function's entry.
var argumentOf = map[int64]int{5: 0, 4: 1, 1: 2, 2: 3, 8: 4, 9: 5}

// dwarfRIP is the number of the highest register that handlers see.
const dwarfRIP = 16

// register returns a register's value.
func (s *sourceScope) register(at syntax.Pos, n int64) (program.Expr, error) {
	if i, ok := argumentOf[n]; ok && s.entry {
		return &program.Argument{At: at, Index: i}, nil
	}
	if n < 0 || n > dwarfRIP {
		return nil, fmt.Errorf("it is in register %d, which handlers do not see", n)
	}
	return &program.Register{At: at, Number: int(n)}, nil
}

// expr turns what debuginfo says into an expression of the program.
func (s *sourceScope) expr(at syntax.Pos, x *dwarf.Expr) (program.Expr, error) {
	switch x.Op {
	case dwarf.OpConst:
		return &program.Number{At: at, Value: x.N}, nil
	case dwarf.OpAddress:
		return s.address(at, uint64(x.N))
	case dwarf.OpRegister:
		return s.register(at, x.N)
	}
	inner, err := s.expr(at, x.X)
	if err != nil {
		return nil, err
	}
	switch x.Op {
	case dwarf.OpLoad:
		return &program.Deref{At: at, Addr: inner, Size: int(x.N)}, nil
	case dwarf.OpEntry:
		return s.asker.entryValue(s, x.N, inner)
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

func plus(at syntax.Pos, x program.Expr, n int64) program.Expr {
	if n == 0 {
		return x
	}
	return &program.Binary{At: at, Op: "+", X: x, Y: &program.Number{At: at, Value: n}}
}

// sourceList spells the variables that have a value at the address, as List does.
func (v *functionVars) sourceList() []string {
	s := v.scope()
	if s == nil {
		return nil
	}
	types := s.info.Types()
	var list []string
	if v.ret && types.Strip(s.Result()) != 0 {
		list = append(list, "$return:"+types.String(s.Result()))
	}
	for _, variable := range s.Variables() {
		if v.ret && !variable.Param {
			continue
		}
		if _, err := variable.Location(); err == nil {
			list = append(list, "$"+variable.Name+":"+types.String(variable.Type))
		}
	}
	return list
}

// here are the names of the variables that have a value at the scope's address,
// with what is else there.
func (s *sourceScope) here() (names []string) {
	for _, v := range s.Variables() {
		if _, err := v.Location(); err == nil {
			names = append(names, "$"+v.Name)
		}
	}
	return names
}

// noVariable is the error for a name that no variable has.
func (r *resolution) noVariable(s *sourceScope, name string) *syntax.Diagnostic {
	var names []string
	for _, v := range s.Variables() {
		names = append(names, v.Name)
	}
	if r.vars.ret && s.Result() != 0 {
		names = append(names, "return")
	}
	d := &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("no $%s in %s: ", name, s.Func.Name) + s.listHere()}
	if near := suggest.Nearest(name, names, 1); len(near) > 0 {
		d.Hint = "did you mean $" + near[0] + "?"
	}
	return d
}

func (s *sourceScope) listHere() string {
	if names := s.here(); len(names) > 0 {
		return "here there are " + enumerate(names, 40)
	}
	return "no variable has a value here"
}

// gone is the error for a variable that has no value at the address.
func (r *resolution) gone(s *sourceScope, v *dwarf.Variable, err error) *syntax.Diagnostic {
	d := &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("$%s: %v; %s", v.Name, err, s.listHere())}
	ranges, _ := v.Ranges()
	var shown []string
	for _, part := range ranges {
		shown = append(shown, s.spell(part))
	}
	if len(shown) > 0 {
		d.Hint = fmt.Sprintf("$%s has a value at %s", v.Name, enumerate(shown, 6))
	}
	return d
}

// spell writes a range of addresses as symbol+offset, with its lines.
func (s *sourceScope) spell(part dwarf.Range) string {
	start, symbol := s.Low, s.Symbol
	if s.Outer != nil {
		start = s.Outer.Low
	}
	text := fmt.Sprintf("%s%+#x..%+#x", symbol, int64(part.Low-start), int64(part.High-start))
	if file, line, ok := s.info.LineAt(part.Low); ok && file == s.Func.File {
		text += fmt.Sprintf(" (from line %d)", line)
	}
	return text
}

// fileVariable resolves @var("NAME@FILE").
func (r *resolution) fileVariable() (*location, *syntax.Diagnostic) {
	name, file, _ := strings.Cut(r.x.Name, "@")
	im, d := r.imageOf(r.x.Module)
	if d != nil {
		return nil, d
	}
	p := pattern{file: file}
	found, err := im.info.Globals(name, p.matchesFile)
	if err != nil {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: err.Error()}
	}
	if len(found) == 0 {
		d := &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("@var(%q): no such variable", r.x.Name)}
		if file != "" {
			d.Msg = fmt.Sprintf("@var(%q): no file %q has a variable %s of its own", r.x.Name, file, name)
		}
		if im.info.Thin {
			d.Msg += ", in what the probe cache holds of the debuginfo"
		}
		return nil, d
	}
	s := &sourceScope{image: im, full: r.types}
	l, err := r.at(s, found[0])
	if err != nil {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("@var(%q): %v", r.x.Name, err)}
	}
	l.what = fmt.Sprintf("@var(%q)", r.x.Name)
	return l, nil
}

// imageOf returns what @var's last argument names: the kernel, a module, or if it
// is "" what the probe is in.
func (r *resolution) imageOf(module string) (*image, *syntax.Diagnostic) {
	what := fmt.Sprintf("the place of the variable @var(%q)", r.x.Name)
	switch {
	case module == "" && r.vars.image != nil:
		return r.vars.image, nil
	case kernelModule(module):
		info, d := r.vars.target.debuginfo.need(r.x.At, what, nil)
		if d != nil {
			return nil, d
		}
		return r.vars.target.kernelImage(info), nil
	}
	return r.vars.target.moduleImage(r.x.At, module, what)
}
