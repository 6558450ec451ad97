// SPDX-License-Identifier: GPL-2.0-or-later

package btf

// A Table is a set of types: a Spec, or what other debuginfo says in BTF's
// terms. The methods are those of Spec.
type Table interface {
	Kind(ID) Kind
	Name(ID) string
	Target(ID) ID
	Strip(ID) ID
	IsUser(ID) bool
	IsUnion(ID) bool
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
