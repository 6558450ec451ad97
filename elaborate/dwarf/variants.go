// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"debug/dwarf"

	"gostap/elaborate/btf"
)

// Tags and attributes that package debug/dwarf has no names for.
const (
	tagVariantPart = dwarf.Tag(0x33)
	tagVariant     = dwarf.Tag(0x19)
	attrDiscr      = dwarf.Attr(0x15)
	attrDiscrValue = dwarf.Attr(0x16)
	attrDiscrList  = dwarf.Attr(0x3d)
)

// maxVariants bounds the variants of a type.
const maxVariants = 1 << 10

// A Variant is a variant of a Rust enum.
type Variant struct {
	btf.Member        // its name, and the struct of its data
	Value      uint64 // of the discriminant
	Default    bool   // the variant for all other discriminants
}

// Variants returns the variants of a Rust enum with data, and the member with the discriminant; none
// for other types. An enum with only one variant has no discriminant: its Type is 0.
func (t *Types) Variants(id btf.ID) (discriminant btf.Member, list []Variant) {
	part, ok := t.variantPart(id)
	if !ok {
		return discriminant, nil
	}
	if v, ok := part.attr(attrDiscr); ok && v.f != nil {
		if d, ok := v.f.dieAt(v.u); ok {
			discriminant.Type = t.ref(d, dwarf.AttrType)
			if at, ok := d.attr(dwarf.AttrDataMemberLoc); ok {
				discriminant.Offset = 8 * memberOffset(at)
			}
		}
	}
	part.eachChild(func(c die) bool {
		if c.tag != tagVariant {
			return true
		}
		one := Variant{}
		value, told := c.attr(attrDiscrValue)
		one.Value = value.u
		_, listed := c.attr(attrDiscrList)
		one.Default = !told && !listed
		c.eachChild(func(m die) bool {
			if m.tag == dwarf.TagMember {
				one.Name, one.Type = m.text(dwarf.AttrName), t.ref(m, dwarf.AttrType)
				if at, ok := m.attr(dwarf.AttrDataMemberLoc); ok {
					one.Offset = 8 * memberOffset(at)
				}
			}
			return one.Name == ""
		})
		if one.Name != "" && (told || one.Default) {
			list = append(list, one)
		}
		return len(list) < maxVariants
	})
	return discriminant, list
}

// variantPart returns the DIE with the variants of a Rust enum.
func (t *Types) variantPart(id btf.ID) (part die, ok bool) {
	d, found := t.die(id)
	if !found || d.tag != dwarf.TagStructType {
		return part, false
	}
	d.eachChild(func(c die) bool {
		part, ok = c, c.tag == tagVariantPart
		return !ok
	})
	return part, ok
}

// TypeParam returns the type argument for a template's parameter of that name, 0 if there is none.
func (t *Types) TypeParam(id btf.ID, name string) (param btf.ID) {
	d, ok := t.die(id)
	if !ok {
		return 0
	}
	d.eachChild(func(c die) bool {
		if c.tag == dwarf.TagTemplateTypeParameter && c.text(dwarf.AttrName) == name {
			param = t.ref(c, dwarf.AttrType)
		}
		return param == 0
	})
	return param
}
