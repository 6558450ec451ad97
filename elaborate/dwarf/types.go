// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"debug/dwarf"
	"sync"

	"gostap/elaborate/btf"
)

// DW_ATE_*
const (
	encBool       = 0x02
	encFloat      = 0x04
	encSigned     = 0x05
	encSignedChar = 0x06
	encUTF        = 0x10
)

// maxTypes bounds chains of types that refer to each other: hostile data loops.
const maxTypes = 64

// Types are the types that debuginfo describes, in the terms of package btf: a
// btf.Table. A type's number is its DIE's offset; types of a supplement are
// numbered behind those of the file.
type Types struct {
	f   *File
	dir string // where their names are kept, "" for nowhere

	mu       sync.Mutex
	arrays   map[btf.ID]btf.ID // the array that an inner dimension belongs to; a dimension's number is that of its subrange
	pointers map[btf.ID]btf.ID // targets of pointer types that the debuginfo does not have

	naming sync.Once
	named  *names
}

func newTypes(f *File, dir string) *Types {
	return &Types{f: f, dir: dir, arrays: map[btf.ID]btf.ID{}, pointers: map[btf.ID]btf.ID{}}
}

// Types returns the debuginfo's types.
func (i *Info) Types() *Types {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.table == nil {
		f, err := i.file()
		if err != nil {
			f = &File{}
		}
		i.table = newTypes(f, i.dir)
	}
	return i.table
}

// id returns the number of the type that a reference refers to, 0 for none.
func (t *Types) id(v value) btf.ID {
	switch {
	case v.f == nil:
		return 0
	case v.f == t.f:
		return btf.ID(v.u)
	}
	if n := uint64(len(t.f.info)) + v.u; n < 1<<32 {
		return btf.ID(n)
	}
	return 0
}

// die returns the DIE of id; for a declaration with the signature of a type unit, that
// of the type there.
func (t *Types) die(id btf.ID) (d die, ok bool) {
	switch {
	case id == 0:
		return d, false
	case uint64(id) < uint64(len(t.f.info)):
		d, ok = t.f.dieAt(uint64(id))
	case t.f.alt != nil:
		d, ok = t.f.alt.dieAt(uint64(id) - uint64(len(t.f.info)))
	}
	if ok && d.signed {
		return d.ref(dwarf.AttrSignature)
	}
	return d, ok
}

// ref returns the type that an attribute of d refers to.
func (t *Types) ref(d die, name dwarf.Attr) btf.ID {
	v, ok := d.attr(name)
	if !ok {
		return 0
	}
	return t.id(v)
}

// Kind returns id's kind.
func (t *Types) Kind(id btf.ID) btf.Kind {
	if id == 0 {
		return btf.Void
	}
	if _, ok := t.made(id); ok {
		return btf.Pointer
	}
	d, ok := t.die(id)
	if !ok {
		return btf.Unknown
	}
	return kindOf(d)
}

// kindOf returns the kind of the type that d describes, Unknown if it is no type.
func kindOf(d die) btf.Kind {
	switch d.tag {
	case dwarf.TagBaseType:
		if e, _ := d.number(dwarf.AttrEncoding); e == encFloat {
			return btf.Float
		}
		return btf.Int
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		return btf.Pointer
	case dwarf.TagArrayType, dwarf.TagSubrangeType:
		return btf.Array
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		switch {
		case d.flag(dwarf.AttrDeclaration):
			return btf.Forward
		case d.tag == dwarf.TagUnionType:
			return btf.Union
		}
		return btf.Struct
	case dwarf.TagEnumerationType:
		if size, _ := d.number(dwarf.AttrByteSize); size == 8 {
			return btf.Enum64
		}
		return btf.Enum
	case dwarf.TagTypedef:
		return btf.Typedef
	case dwarf.TagConstType:
		return btf.Const
	case dwarf.TagVolatileType, dwarf.TagAtomicType:
		return btf.Volatile
	case dwarf.TagRestrictType:
		return btf.Restrict
	case dwarf.TagSubroutineType:
		return btf.Prototype
	case dwarf.TagSubprogram:
		return btf.Function
	case dwarf.TagUnspecifiedType:
		return btf.Void
	}
	return btf.Unknown
}

// Name returns id's own name, "" if it has none.
func (t *Types) Name(id btf.ID) string {
	d, ok := t.die(id)
	if !ok {
		return ""
	}
	return d.text(dwarf.AttrName)
}

// Target returns the type that a pointer, array, typedef or qualifier refers to.
func (t *Types) Target(id btf.ID) btf.ID {
	if to, ok := t.made(id); ok {
		return to
	}
	d, ok := t.die(id)
	if !ok {
		return 0
	}
	switch d.tag {
	case dwarf.TagArrayType, dwarf.TagSubrangeType:
		return t.element(id, d)
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType, dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagAtomicType, dwarf.TagRestrictType:
		return t.ref(d, dwarf.AttrType)
	}
	return 0
}

// element returns the type of an array's elements. The elements of an
// array of several dimensions are arrays: its inner dimensions, numbered by their subranges.
func (t *Types) element(id btf.ID, d die) btf.ID {
	array, outer := id, d.tag == dwarf.TagArrayType
	if !outer {
		t.mu.Lock()
		array = t.arrays[id]
		t.mu.Unlock()
		var ok bool
		if d, ok = t.die(array); !ok || d.tag != dwarf.TagArrayType {
			return 0
		}
	}
	base := array - btf.ID(d.off)
	found := outer // the element is the dimension after that of id
	first := true
	var next btf.ID
	d.eachChild(func(c die) bool {
		if c.tag != dwarf.TagSubrangeType {
			return true
		}
		this := base + btf.ID(c.off)
		if found && !(outer && first) {
			next = this
			return false
		}
		first = false
		if this == id {
			found = true
		}
		return true
	})
	if next == 0 {
		return t.ref(d, dwarf.AttrType)
	}
	t.mu.Lock()
	t.arrays[next] = array
	t.mu.Unlock()
	return next
}

// Len returns the number of an array's elements.
func (t *Types) Len(id btf.ID) int64 {
	d, ok := t.die(id)
	if !ok {
		return 0
	}
	if d.tag == dwarf.TagArrayType {
		var first die
		d.eachChild(func(c die) bool {
			first, ok = c, c.tag == dwarf.TagSubrangeType
			return !ok
		})
		if !ok || first.tag != dwarf.TagSubrangeType {
			return 0
		}
		d = first
	}
	if n, ok := d.number(dwarf.AttrCount); ok {
		return int64(min(n, 1<<40))
	}
	if v, ok := d.attr(dwarf.AttrUpperBound); ok && v.b == nil && v.f == nil && int64(v.u) >= 0 {
		return int64(min(v.u, 1<<40)) + 1
	}
	return 0
}

// Strip follows typedefs and qualifiers to the type itself.
func (t *Types) Strip(id btf.ID) btf.ID {
	for range maxTypes {
		switch t.Kind(id) {
		case btf.Typedef, btf.Const, btf.Volatile, btf.Restrict:
			id = t.Target(id)
		default:
			return id
		}
	}
	return 0
}

// IsReference reports whether id is a reference of C++, which is a Pointer.
func (t *Types) IsReference(id btf.ID) bool {
	d, ok := t.die(t.Strip(id))
	return ok && (d.tag == dwarf.TagReferenceType || d.tag == dwarf.TagRvalueReferenceType)
}

// IsUser is false: debuginfo does not tell pointers to user memory.
func (t *Types) IsUser(btf.ID) bool { return false }

// IsUnion reports whether id is a Union, or the declaration of one.
func (t *Types) IsUnion(id btf.ID) bool {
	d, ok := t.die(id)
	return ok && d.tag == dwarf.TagUnionType
}

// Size returns how many bytes a value of type id takes, 0 if that is not known.
func (t *Types) Size(id btf.ID) int64 {
	count := int64(1)
	for range maxTypes {
		id = t.Strip(id)
		switch t.Kind(id) {
		case btf.Int, btf.Struct, btf.Union, btf.Enum, btf.Enum64, btf.Float:
			d, _ := t.die(id)
			n, _ := d.number(dwarf.AttrByteSize)
			if n > 1<<40 || n > 0 && count > (1<<40)/int64(n) {
				return 0
			}
			return count * int64(n)
		case btf.Pointer:
			return count * 8
		case btf.Array:
			n := t.Len(id)
			if n > 0 && count > (1<<40)/n {
				return 0
			}
			count *= n
			id = t.Target(id)
		default:
			return 0
		}
	}
	return 0
}

// Integer returns how an Int, Enum or Pointer is stored.
func (t *Types) Integer(id btf.ID) (n btf.Integer, ok bool) {
	if _, ok := t.made(id); ok {
		return btf.Integer{Size: 8}, true
	}
	d, found := t.die(id)
	if !found {
		return n, false
	}
	size, _ := d.number(dwarf.AttrByteSize)
	switch t.Kind(id) {
	case btf.Int:
		e, _ := d.number(dwarf.AttrEncoding)
		return btf.Integer{Size: int64(size), Signed: e == encSigned || e == encSignedChar,
			Char: d.text(dwarf.AttrName) == "char" && size == 1, Bool: e == encBool}, true
	case btf.Enum, btf.Enum64:
		n = btf.Integer{Size: int64(size), Enum: true}
		if under := t.Strip(t.ref(d, dwarf.AttrType)); t.Kind(under) == btf.Int {
			inner, _ := t.Integer(under)
			n.Signed = inner.Signed
		} else {
			for _, e := range t.Enumerators(id) {
				n.Signed = n.Signed || e.Value < 0
			}
		}
		return n, true
	case btf.Pointer:
		return btf.Integer{Size: 8}, true
	}
	return n, false
}

// IsCharacter reports whether id is a character of Unicode that is stored in four bytes, as Rust's char.
func (t *Types) IsCharacter(id btf.ID) bool {
	d, ok := t.die(id)
	if !ok || d.tag != dwarf.TagBaseType {
		return false
	}
	e, _ := d.number(dwarf.AttrEncoding)
	size, _ := d.number(dwarf.AttrByteSize)
	return e == encUTF && size == 4
}

// Member returns the field called name of a Struct or Union, be it in an
// anonymous one inside it.
func (t *Types) Member(id btf.ID, name string) (btf.Member, bool) { return btf.FindMember(t, id, name) }

// MemberNames returns the names that Member knows.
func (t *Types) MemberNames(id btf.ID) []string { return btf.AllMembers(t, id) }

// String returns id as C spells it.
func (t *Types) String(id btf.ID) string { return btf.Spell(t, id) }
