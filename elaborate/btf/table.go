// SPDX-License-Identifier: GPL-2.0-or-later

package btf

// A Table is a set of types: a Spec, or types of DWARF in the same form. The methods
// are those of Spec.
type Table interface {
	Kind(ID) Kind
	Name(ID) string
	Target(ID) ID
	Strip(ID) ID
	IsUser(ID) bool
	IsUnion(ID) bool
	// ByReference reports whether a Struct or Union is passed as a pointer to it, as in C++ for types that are not trivially copyable.
	ByReference(ID) bool
	Size(ID) int64
	Integer(ID) (Integer, bool)
	Len(ID) int64
	Proto(ID) (*Proto, bool)
	Members(ID) []Member
	Member(id ID, name string) (Member, bool)
	MemberNames(ID) []string
	Enumerators(ID) []Enumerator
	String(ID) string
}

// A Named is a Table whose types can be found by name, too.
type Named interface {
	Table
	// Find returns the types of that name and of one of the kinds.
	Find(name string, kinds ...Kind) []ID
	// Enumerator returns the value of a constant of any enumeration.
	Enumerator(name string) (value int64, ok bool)
	// PerCPU reports whether a variable is a per-CPU one.
	PerCPU(ID) bool
	// PointerTo returns the type of pointers to another; false if there is none.
	PointerTo(ID) (ID, bool)
}
