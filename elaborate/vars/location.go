// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"
	"strings"

	"gostap/elaborate/btf"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// A location is the place of a value with a known type at run time: in memory,
// or in registers.
type location struct {
	types btf.Table
	full  btf.Named // has complete types for declarations in types; may be nil
	at    syntax.Pos
	what  string // as the script spells it: "$file->f_pos"
	typ   btf.ID

	addr   program.Expr   // of memory; nil if the value is in registers
	regs   []program.Expr // 8 bytes each, nil for words that are lost
	lost   []uint64       // masks of bits of regs that are lost; nil: none
	pos    int64          // offset of the value, in bits from addr or from the start of regs
	bits   int64          // a bit field's width, else 0
	user   bool           // addr is in user space
	toUser bool           // the value is a pointer to user space

	store program.Expr // the register that an assignment changes

	pointees map[int64]pointee // of pointers without a value, by their pos: their targets have no address
}

// fail is an error at the location.
func (l *location) fail(format string, args ...any) *syntax.Diagnostic {
	return &syntax.Diagnostic{Pos: l.at, Msg: fmt.Sprintf(format, args...)}
}

// real is the location's type without typedefs and qualifiers.
func (l *location) real() btf.ID { return l.types.Strip(l.typ) }

// isReference reports whether the value is a C++ reference, for which scripts get the referred value.
func (l *location) isReference() bool {
	t, ok := l.types.(interface{ IsReference(btf.ID) bool })
	return ok && t.IsReference(l.typ)
}

// referred returns the location that l refers to, if it is a reference to a scalar, else l.
func (l *location) referred() (*location, *syntax.Diagnostic) {
	if !l.isReference() {
		return l, nil
	}
	in, d := l.deref()
	if d != nil {
		return nil, d
	}
	switch in.types.Kind(in.real()) {
	case btf.Struct, btf.Union, btf.Array, btf.Forward:
		return l, nil
	}
	return in, nil
}

// direct returns the location that l refers to if it is a reference, else l.
func (l *location) direct() (*location, *syntax.Diagnostic) {
	if l.isReference() {
		return l.deref()
	}
	return l, nil
}

// member follows one ->.
func (l *location) member(a syntax.Access) (*location, *syntax.Diagnostic) {
	l, d := l.direct()
	if d != nil {
		return nil, d
	}
	in, d := l.container()
	if d != nil {
		return nil, d
	}
	switch in.types.Kind(in.real()) {
	case btf.Struct, btf.Union:
	case btf.Forward:
		d := l.fail("the members of %s are not known: %s has only its declaration", l.types.String(in.typ), in.told())
		d.Hint = "@cast to a type that has them"
		return nil, d
	default:
		d := l.fail("%s is %s: it has no member %q", l.what, article(l.types.String(l.typ)), a.Member).InStap("invalid access '->%s' vs. %s", a.Member, l.types.String(l.real()))
		if in.types.Kind(in.real()) == btf.Void {
			d.Hint = fmt.Sprintf(`say what it points to: @cast(%s, "struct name")->%s`, l.what, a.Member)
		}
		d.Pos = a.At
		return nil, d
	}
	m, ok := in.types.Member(in.typ, a.Member)
	if !ok {
		names := in.types.MemberNames(in.typ)
		d := l.fail("%s has no member %q: it has %s", l.types.String(in.typ), a.Member, suggest.Enumerate(names, 40))
		d.Hint = suggest.Hint(a.Member, names)
		d.InStap("unable to find member '%s' for %s%s", a.Member, l.types.String(in.typ), alternatives("", names))
		d.Pos = a.At
		return nil, d
	}
	out := *in
	out.what += "->" + a.Member
	out.typ, out.bits, out.store = m.Type, m.Bits, nil
	out.pos += m.Offset
	return &out, nil
}

// alternatives lists the existing names for an error, as SystemTap does, each with a prefix.
func alternatives(prefix string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (alternatives: " + prefix + strings.Join(names, ", "+prefix) + ")"
}

// container returns the struct whose members l-> accesses: the one that l points to if it is a pointer, else l.
func (l *location) container() (*location, *syntax.Diagnostic) {
	in := l
	if l.types.Kind(l.real()) == btf.Pointer {
		var d *syntax.Diagnostic
		if in, d = l.deref(); d != nil {
			return nil, d
		}
	}
	return in.complete(), nil
}

// complete returns l with the complete type from the kernel's BTF, or from another unit of the
// program's debuginfo, if l's own unit only declares it.
func (l *location) complete() *location {
	if l.full == nil || l.types.Kind(l.real()) != btf.Forward {
		return l
	}
	ids := l.full.Find(l.types.Name(l.real()), btf.Struct, btf.Union)
	if len(ids) == 0 {
		return l
	}
	out := *l
	out.types, out.typ = l.full, ids[0]
	return &out
}

// told is the source of l's type, for messages.
func (l *location) told() string {
	if l.user {
		return "debuginfo"
	}
	return "BTF"
}

// deref returns the location that the pointer at l points to.
func (l *location) deref() (*location, *syntax.Diagnostic) {
	if to := l.pointee(); to != nil {
		return l.follow(to)
	}
	addr, d := l.value()
	if d != nil {
		return nil, d
	}
	return &location{
		types: l.types, full: l.full, at: l.at, what: l.what,
		typ:  l.types.Target(l.real()),
		addr: addr,
		user: l.user || l.pointsToUser(),
	}, nil
}

// pointsToUser reports whether the pointer at l points to user space.
func (l *location) pointsToUser() bool { return l.toUser || l.types.IsUser(l.typ) }

// address returns l's address.
func (l *location) address() (program.Expr, *syntax.Diagnostic) {
	switch {
	case l.addr == nil:
		return nil, l.fail("%s is in a register: it has no address", l.what)
	case l.bits != 0 || l.pos%8 != 0:
		return nil, l.fail("%s is a bit field: it has no address", l.what)
	}
	return l.bytesOn(l.pos / 8), nil
}

// bytesOn returns the address n bytes behind l.addr.
func (l *location) bytesOn(n int64) program.Expr {
	if n == 0 {
		return l.addr
	}
	return &program.Binary{At: l.at, Op: "+", X: l.addr, Y: &program.Number{At: l.at, Value: n}}
}

// value returns the number at l; for structs, unions, arrays and functions
// their address.
func (l *location) value() (program.Expr, *syntax.Diagnostic) {
	t := l.real()
	n, ok := l.types.Integer(t)
	switch k := l.types.Kind(t); {
	case k == btf.Struct || k == btf.Union || k == btf.Array || k == btf.Function || k == btf.Prototype || k == btf.Forward:
		if l.addr == nil {
			return nil, l.fail("%s is %s in registers: it has no address, ask for its members", l.what, article(l.types.String(l.typ)))
		}
		return l.address()
	case k == btf.Float:
		// The number is the bits of a double.
		if n.Size = l.types.Size(t); n.Size == 16 && l.isLongDouble() {
			if l.addr == nil {
				return nil, l.fail("%s is a long double in a register of the x87, which can't be read", l.what)
			}
			n.Size = 8 // the mantissa; double has the exponent
		} else if n.Size != 4 && n.Size != 8 {
			return nil, l.fail("%s is %s of %d bytes: floating point is known of 4 and 8", l.what, article(l.types.String(l.typ)), n.Size)
		}
	case k == btf.Void:
		return nil, l.fail("%s is void: it has no value", l.what)
	case !ok || n.Size != 1 && n.Size != 2 && n.Size != 4 && n.Size != 8:
		return nil, l.fail("%s is %s of %d bytes, more than a number in a script takes", l.what, article(l.types.String(l.typ)), l.types.Size(t))
	}
	if l.bits != 0 {
		return l.bitField(n)
	}
	if l.addr == nil {
		return l.register(n.Size*8, n.Signed)
	}
	return &program.Deref{At: l.at, Addr: l.bytesOn(l.pos / 8), Size: int(n.Size), Signed: n.Signed, User: l.user}, nil
}

// isLongDouble reports whether l has the x87's 80 bits: a word of mantissa, then the sign and the exponent.
func (l *location) isLongDouble() bool {
	t := l.real()
	return l.types.Kind(t) == btf.Float && l.types.Size(t) == 16 && l.types.String(t) == "long double"
}

// word returns the word of registers that has the bits at l.
func (l *location) word(bits int64) (program.Expr, *syntax.Diagnostic) {
	if l.pos < 0 || l.pos+bits > 64*int64(len(l.regs)) {
		return nil, l.fail("%s lies outside of the registers that the variable is in", l.what)
	}
	w, from := l.pos/64, l.pos%64
	switch {
	case from+bits > 64:
		return nil, l.fail("%s lies across registers", l.what)
	case l.regs[w] == nil && l.pointee() != nil:
		return nil, l.noNumber()
	case l.regs[w] == nil || l.lost != nil && l.lost[w]&mask(from, bits) != 0:
		return nil, l.fail("%s: the compiler has optimized out this part of it", l.what)
	}
	return l.regs[w], nil
}

// register returns the bits at l, which is in registers.
func (l *location) register(bits int64, signed bool) (program.Expr, *syntax.Diagnostic) {
	x, d := l.word(bits)
	if d != nil {
		return nil, d
	}
	if shift := l.pos % 64; shift != 0 {
		x = &program.Binary{At: l.at, Op: ">>>", X: x, Y: &program.Number{At: l.at, Value: shift}}
	}
	if bits == 64 {
		return x, nil
	}
	return &program.Cast{At: l.at, X: x, Size: int(bits / 8), Signed: signed}, nil
}

// bitField returns a bit field's value: the integer around it, shifted.
func (l *location) bitField(n btf.Integer) (program.Expr, *syntax.Diagnostic) {
	var around program.Expr
	low := int64(0) // the field's lowest bit in around
	if l.addr == nil {
		var d *syntax.Diagnostic
		if around, d = l.word(l.bits); d != nil {
			return nil, d
		}
		low = l.pos % 64
	} else {
		in := l.around()
		if in == nil {
			return nil, l.fail("the bit field %s lies across more than 8 bytes", l.what)
		}
		low, around = int64(in.Low), &program.Deref{At: l.at, Addr: in.Addr, Size: in.Size, User: in.User}
	}
	shift := func(x program.Expr, op string, by int64) program.Expr {
		if by == 0 {
			return x
		}
		return &program.Binary{At: l.at, Op: op, X: x, Y: &program.Number{At: l.at, Value: by}}
	}
	if n.Signed {
		return shift(shift(around, "<<", 64-low-l.bits), ">>", 64-l.bits), nil
	}
	if l.bits == 64 {
		return around, nil
	}
	return &program.Binary{At: l.at, Op: "&", X: shift(around, ">>>", low),
		Y: &program.Number{At: l.at, Value: 1<<l.bits - 1}}, nil
}

// around returns the integer in memory that contains the bit field at l; nil if
// there is none.
func (l *location) around() *program.Deref {
	size := int64(1)
	for size < 8 && l.pos%(8*size)+l.bits > 8*size {
		size *= 2
	}
	start := l.pos / (8 * size) * size
	if l.pos-8*start+l.bits > 64 {
		start = l.pos / 8 // it is not aligned
	}
	if l.pos-8*start+l.bits > 64 {
		return nil
	}
	n, _ := l.types.Integer(l.real())
	return &program.Deref{At: l.at, Addr: l.bytesOn(start), Size: int(size), Signed: n.Signed, User: l.user, Low: int(l.pos - 8*start), Bits: int(l.bits)}
}

// lvalue returns the expression that an assignment to l changes, nil if there is none.
func (l *location) lvalue(value program.Expr) program.Expr {
	if l.types.Kind(l.real()) == btf.Float && l.types.Size(l.typ) != 8 {
		return nil
	}
	if d, ok := value.(*program.Deref); ok && l.addr != nil && l.bits == 0 {
		return d
	}
	if l.bits != 0 && l.addr != nil {
		return l.around()
	}
	return l.store
}

// constant returns the number that x is, if it is a literal.
func constant(x syntax.Expr) (int64, bool) {
	switch x := x.(type) {
	case *syntax.NumberLit:
		return x.Value, true
	case *syntax.UnaryExpr:
		if n, ok := constant(x.X); ok && x.Op == "-" {
			return -n, true
		}
	}
	return 0, false
}

// article puts a or an before a type's name.
func article(name string) string {
	if strings.ContainsRune("aeiou", rune(name[0])) && !strings.HasPrefix(name, "u8") && !strings.HasPrefix(name, "u16") && !strings.HasPrefix(name, "union") {
		return "an " + name
	}
	return "a " + name
}
