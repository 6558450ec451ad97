// SPDX-License-Identifier: GPL-2.0-or-later

package btf

// maxDepth bounds chains of types that refer to each other: hostile data loops.
const maxDepth = 64

// Kind returns id's kind.
func (s *Spec) Kind(id ID) Kind {
	rec := s.record(id)
	return rec.kind()
}

// Name returns id's own name, "" if it has none.
func (s *Spec) Name(id ID) string { return s.text(s.record(id).name) }

// Target returns the type that a pointer, array, typedef, qualifier, variable
// or function refers to (a function to its prototype); void for others.
func (s *Spec) Target(id ID) ID {
	rec := s.record(id)
	switch rec.kind() {
	case Pointer, Typedef, Volatile, Const, Restrict, Function, Variable, TypeTag:
		return ID(rec.sizeOrType)
	case Array:
		return ID(le.Uint32(rec.rest))
	}
	return 0
}

// PerCPU reports whether a Variable is a per-CPU one: BTF lists these in a section of theirs.
func (s *Spec) PerCPU(id ID) bool {
	for _, section := range s.Find(".data..percpu", DataSection) {
		for rest := s.record(section).rest; len(rest) >= 12; rest = rest[12:] {
			if ID(le.Uint32(rest)) == id {
				return true
			}
		}
	}
	return false
}

// Strip follows typedefs and qualifiers to the type itself.
func (s *Spec) Strip(id ID) ID {
	for range maxDepth {
		switch s.Kind(id) {
		case Typedef, Volatile, Const, Restrict, TypeTag:
			id = s.Target(id)
		default:
			return id
		}
	}
	return 0
}

// IsUser reports whether id is a pointer to memory of the user (__user), if
// BTF has it: only clang records it.
func (s *Spec) IsUser(id ID) bool {
	p := s.Strip(id)
	if s.Kind(p) != Pointer {
		return false
	}
	t := s.Target(p)
	for range maxDepth {
		if s.Kind(t) != TypeTag {
			return false
		}
		if s.Name(t) == "user" {
			return true
		}
		t = s.Target(t)
	}
	return false
}

// IsUnion reports whether id is a Union, or the declaration of one.
func (s *Spec) IsUnion(id ID) bool {
	rec := s.record(id)
	return rec.kind() == Union || rec.kind() == Forward && rec.flag()
}

// ByReference is false: C has no such types.
func (s *Spec) ByReference(ID) bool { return false }

// Size returns how many bytes a value of type id takes, 0 if that is not known.
func (s *Spec) Size(id ID) int64 {
	count := int64(1)
	for range maxDepth {
		id = s.Strip(id)
		rec := s.record(id)
		switch rec.kind() {
		case Int, Struct, Union, Enum, Enum64, Float, DataSection:
			return count * int64(rec.sizeOrType)
		case Pointer:
			return count * 8
		case Array:
			n := int64(le.Uint32(rec.rest[8:]))
			if n > 0 && count > (1<<40)/n {
				return 0
			}
			count *= n
			id = ID(le.Uint32(rec.rest))
		default:
			return 0
		}
	}
	return 0
}

// An Integer describes how a number is stored.
type Integer struct {
	Size       int64 // bytes
	Signed     bool
	Char, Bool bool // char itself: not unsigned char, which bytes are made of
	Enum       bool
}

// Integer returns how an Int, Enum or Pointer is stored; ok is false for all
// other types. Strip the type before.
func (s *Spec) Integer(id ID) (n Integer, ok bool) {
	rec := s.record(id)
	switch rec.kind() {
	case Int:
		encoding := le.Uint32(rec.rest) >> 24
		return Integer{
			Size:   int64(rec.sizeOrType),
			Signed: encoding&1 != 0,
			Char:   s.Name(id) == "char",
			Bool:   encoding&4 != 0,
		}, true
	case Enum, Enum64:
		return Integer{Size: int64(rec.sizeOrType), Signed: rec.flag(), Enum: true}, true
	case Pointer:
		return Integer{Size: 8}, true
	}
	return n, false
}

// Len returns the number of an array's elements.
func (s *Spec) Len(id ID) int64 {
	rec := s.record(id)
	if rec.kind() != Array {
		return 0
	}
	return int64(le.Uint32(rec.rest[8:]))
}

// A Param is one parameter of a function.
type Param struct {
	Name string
	Type ID
}

// A Proto is a function's parameters and result.
type Proto struct {
	ID       ID // of the prototype, which functions may share
	Params   []Param
	Result   ID
	Variadic bool
}

// Proto returns a function's prototype, or that of a Prototype itself.
func (s *Spec) Proto(id ID) (*Proto, bool) {
	if s.Kind(id) == Function {
		id = s.Target(id)
	}
	rec := s.record(id)
	if rec.kind() != Prototype {
		return nil, false
	}
	p := &Proto{ID: id, Result: ID(rec.sizeOrType)}
	for at := 0; at < len(rec.rest); at += 8 {
		param := Param{s.text(le.Uint32(rec.rest[at:])), ID(le.Uint32(rec.rest[at+4:]))}
		if param.Name == "" && param.Type == 0 {
			p.Variadic = true
			break
		}
		p.Params = append(p.Params, param)
	}
	return p, true
}

// A Member is one field of a struct or union.
type Member struct {
	Name   string // "" for an anonymous struct or union
	Type   ID
	Offset int64 // in bits, from the start of the type that was passed to Members or Member
	Bits   int64 // the width of a bit field, else 0
}

// Members returns the fields of a Struct or Union.
func (s *Spec) Members(id ID) []Member {
	rec := s.record(id)
	if k := rec.kind(); k != Struct && k != Union {
		return nil
	}
	list := make([]Member, 0, rec.vlen())
	for at := 0; at < len(rec.rest); at += 12 {
		m := Member{Name: s.text(le.Uint32(rec.rest[at:])), Type: ID(le.Uint32(rec.rest[at+4:]))}
		offset := le.Uint32(rec.rest[at+8:])
		m.Offset = int64(offset)
		if rec.flag() {
			m.Offset, m.Bits = int64(offset&0xffffff), int64(offset>>24)
		} else if i := s.record(s.Strip(m.Type)); i.kind() == Int {
			// Without the flag, a bit field has an Int of its own.
			encoding := le.Uint32(i.rest)
			if bits := int64(encoding & 0xff); bits != 0 && bits != 8*int64(i.sizeOrType) {
				m.Bits = bits
				m.Offset += int64(encoding >> 16 & 0xff)
			}
		}
		list = append(list, m)
	}
	return list
}

// Member returns the field called name of a Struct or Union, be it in an
// anonymous one inside it.
func (s *Spec) Member(id ID, name string) (Member, bool) { return FindMember(s, id, name) }

// FindMember is Member, for any table.
func FindMember(t Table, id ID, name string) (Member, bool) {
	budget := 1 << 16
	return member(t, id, name, maxDepth, &budget)
}

func member(t Table, id ID, name string, depth int, budget *int) (Member, bool) {
	if depth == 0 || *budget < 0 {
		return Member{}, false
	}
	members := t.Members(t.Strip(id))
	*budget -= len(members)
	for _, m := range members {
		if m.Name == name {
			return m, true
		}
	}
	for _, m := range members {
		if m.Name != "" {
			continue
		}
		if inner, ok := member(t, m.Type, name, depth-1, budget); ok {
			inner.Offset += m.Offset
			return inner, true
		}
	}
	return Member{}, false
}

// MemberNames returns the names that Member knows.
func (s *Spec) MemberNames(id ID) []string { return AllMembers(s, id) }

// AllMembers is MemberNames, for any table.
func AllMembers(t Table, id ID) []string {
	budget := 1 << 16
	return memberNames(t, id, nil, maxDepth, &budget)
}

func memberNames(t Table, id ID, names []string, depth int, budget *int) []string {
	if depth == 0 || *budget < 0 {
		return names
	}
	members := t.Members(t.Strip(id))
	*budget -= len(members)
	for _, m := range members {
		if m.Name != "" {
			names = append(names, m.Name)
		} else {
			names = memberNames(t, m.Type, names, depth-1, budget)
		}
	}
	return names
}

// An Enumerator is one constant of an enumeration.
type Enumerator struct {
	Name  string
	Value int64
}

// Enumerators returns the constants of an Enum or Enum64.
func (s *Spec) Enumerators(id ID) []Enumerator {
	rec := s.record(id)
	var list []Enumerator
	switch rec.kind() {
	case Enum:
		for at := 0; at < len(rec.rest); at += 8 {
			v := int64(le.Uint32(rec.rest[at+4:]))
			if rec.flag() {
				v = int64(int32(v))
			}
			list = append(list, Enumerator{s.text(le.Uint32(rec.rest[at:])), v})
		}
	case Enum64:
		for at := 0; at < len(rec.rest); at += 12 {
			v := int64(le.Uint32(rec.rest[at+4:])) | int64(le.Uint32(rec.rest[at+8:]))<<32
			list = append(list, Enumerator{s.text(le.Uint32(rec.rest[at:])), v})
		}
	}
	return list
}

// Enumerator returns the constant called name of any enumeration. The first
// call gathers them all, which takes some milliseconds.
func (s *Spec) Enumerator(name string) (value int64, ok bool) {
	if s.base != nil {
		if value, ok = s.base.Enumerator(name); ok {
			return value, ok
		}
	}
	s.gather.Do(func() {
		s.enumerators = map[string]int64{}
		for id := s.first; id < s.first+s.count(); id++ {
			for _, e := range s.Enumerators(id) {
				if _, ok := s.enumerators[e.Name]; !ok {
					s.enumerators[e.Name] = e.Value
				}
			}
		}
	})
	value, ok = s.enumerators[name]
	return value, ok
}

// PointerTo returns the type of pointers to id, if the kernel uses it.
func (s *Spec) PointerTo(id ID) (ID, bool) {
	if s.base != nil {
		if p, ok := s.base.PointerTo(id); ok {
			return p, true
		}
	}
	for p := s.first; p < s.first+s.count(); p++ {
		if rec := s.record(p); rec.kind() == Pointer && ID(rec.sizeOrType) == id {
			return p, true
		}
	}
	return 0, false
}
