// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"debug/dwarf"

	"gostap/elaborate/btf"
)

// Proto returns the parameters and the result of a function type.
func (t *Types) Proto(id btf.ID) (*btf.Proto, bool) {
	d, ok := t.die(id)
	if !ok || d.tag != dwarf.TagSubroutineType && d.tag != dwarf.TagSubprogram {
		return nil, false
	}
	p := &btf.Proto{ID: id, Result: t.ref(d, dwarf.AttrType)}
	d.eachChild(func(c die) bool {
		switch c.tag {
		case dwarf.TagFormalParameter:
			p.Params = append(p.Params, btf.Param{Name: c.name(), Type: t.ref(c, dwarf.AttrType)})
		case dwarf.TagUnspecifiedParameters:
			p.Variadic = true
		}
		return true
	})
	return p, true
}

// Members returns the fields of a Struct or Union, and the variants of a Rust enum as those of a union.
func (t *Types) Members(id btf.ID) []btf.Member {
	d, ok := t.die(id)
	if !ok || d.tag != dwarf.TagStructType && d.tag != dwarf.TagUnionType && d.tag != dwarf.TagClassType {
		return nil
	}
	var list []btf.Member
	d.eachChild(func(c die) bool {
		// A base class is treated as an anonymous member.
		inherited := c.tag == dwarf.TagInheritance && !c.flag(dwarf.AttrVirtuality)
		if c.tag != dwarf.TagMember && !inherited || c.flag(dwarf.AttrExternal) {
			return true
		}
		m := btf.Member{Name: c.text(dwarf.AttrName), Type: t.ref(c, dwarf.AttrType)}
		if v, ok := c.attr(dwarf.AttrDataMemberLoc); ok {
			m.Offset = 8 * memberOffset(v)
		}
		if bits, ok := c.number(dwarf.AttrBitSize); ok && bits <= 64 {
			m.Bits = int64(bits)
			if at, ok := c.number(dwarf.AttrDataBitOffset); ok {
				m.Offset = int64(min(at, 1<<40))
			} else if high, ok := c.number(dwarf.AttrBitOffset); ok {
				// DWARF 3: counted from the highest bit of the unit that the field is in.
				size, ok := c.number(dwarf.AttrByteSize)
				if !ok {
					size = uint64(t.Size(m.Type))
				}
				m.Offset += 8*int64(size) - int64(high) - m.Bits
			}
		}
		list = append(list, m)
		return len(list) < 1<<16
	})
	if len(list) == 0 {
		_, variants := t.Variants(id)
		for _, v := range variants {
			list = append(list, v.Member)
		}
	}
	return list
}

// memberOffset returns DW_AT_data_member_location: a number, or in older
// versions an expression that adds one.
func memberOffset(v value) int64 {
	if v.b == nil {
		return int64(min(v.u, 1<<36))
	}
	const plusUconst = 0x23
	b := buf{data: v.b}
	if b.u8() != plusUconst {
		return 0
	}
	n := b.uleb()
	if b.bad {
		return 0
	}
	return int64(min(n, 1<<36))
}

// Enumerators returns the constants of an Enum or Enum64.
func (t *Types) Enumerators(id btf.ID) []btf.Enumerator {
	d, ok := t.die(id)
	if !ok || d.tag != dwarf.TagEnumerationType {
		return nil
	}
	return enumerators(d)
}

// enumerators returns the constants of the enumeration that d describes.
func enumerators(d die) (list []btf.Enumerator) {
	d.eachChild(func(c die) bool {
		if c.tag == dwarf.TagEnumerator {
			v, _ := c.attr(dwarf.AttrConstValue)
			list = append(list, btf.Enumerator{Name: c.text(dwarf.AttrName), Value: int64(v.u)})
		}
		return len(list) < 1<<16
	})
	return list
}
