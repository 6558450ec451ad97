// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"debug/dwarf"
	"strings"

	"gostap/elaborate/btf"
)

// ByReference reports whether a Struct or Union is passed as a pointer to it, as C++ passes classes
// with a user-defined destructor or copy constructor (Itanium C++ ABI, 3.1.1). Clang has an attribute
// for it; with gcc it has to be inferred.
func (t *Types) ByReference(id btf.ID) bool {
	left := 1000 // hostile types contain each other
	return t.byReference(id, &left)
}

func (t *Types) byReference(id btf.ID, left *int) bool {
	const passByReference = 4 // DW_CC_pass_by_reference
	id = t.Strip(id)
	if *left--; *left < 0 {
		return false
	}
	switch t.Kind(id) {
	case btf.Array:
		return t.byReference(t.Target(id), left)
	case btf.Struct, btf.Union:
	default:
		return false
	}
	d, ok := t.die(id)
	if !ok {
		return false
	}
	if d.u.language() == langRust {
		return t.Size(id) > 2*8 // in memory that the caller has
	}
	if n, ok := d.number(dwarf.AttrCalling); ok {
		return n == passByReference
	}
	is, name := false, d.text(dwarf.AttrName)
	name, _, _ = strings.Cut(name, "<") // constructors of templates have no arguments
	d.eachChild(func(c die) bool {
		switch c.tag {
		case dwarf.TagMember, dwarf.TagInheritance:
			is = !c.flag(dwarf.AttrExternal) && t.byReference(t.ref(c, dwarf.AttrType), left)
		case dwarf.TagSubprogram:
			is = name != "" && !c.flag(dwarf.AttrArtificial) && !defaulted(c) && t.copies(c, name, id)
		}
		return !is
	})
	return is
}

// defaulted reports whether a member function is declared = default in its class.
func defaulted(d die) bool {
	const attrDefaulted, inClass = dwarf.Attr(0x8b), 1 // DW_AT_defaulted, DW_DEFAULTED_in_class
	n, ok := d.number(attrDefaulted)
	return ok && n == inClass
}

// copies reports whether c is a class's destructor, or a constructor from one of the same class.
func (t *Types) copies(c die, name string, class btf.ID) bool {
	switch c.text(dwarf.AttrName) {
	case "~" + name:
		return true
	case name:
	default:
		return false
	}
	is, own := false, 0
	c.eachChild(func(p die) bool {
		if p.tag != dwarf.TagFormalParameter || p.flag(dwarf.AttrArtificial) {
			return true
		}
		own++
		to, ok := t.die(t.ref(p, dwarf.AttrType))
		is = own == 1 && ok && (to.tag == dwarf.TagReferenceType || to.tag == dwarf.TagRvalueReferenceType) && t.Strip(t.ref(to, dwarf.AttrType)) == class
		return is
	})
	return is && own == 1
}
