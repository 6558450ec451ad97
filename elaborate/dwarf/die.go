// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import "debug/dwarf"

// A die is a debugging information entry: a node of a unit's tree.
type die struct {
	u   *unit
	off uint32
	*abbrev
	vals uint32 // the offset of its attributes
}

// die reads the entry at off; ok is false if there is none, but the end of a
// list of children.
func (u *unit) die(off uint32) (d die, ok bool) {
	if off < u.first || off >= u.end {
		return d, false
	}
	b := buf{data: u.f.info[:u.end], at: int(off)}
	code := b.uleb()
	if code == 0 || b.bad {
		return d, false
	}
	a := u.abbrevs.find(code)
	if a == nil {
		return d, false
	}
	return die{u, off, a, uint32(b.at)}, true
}

// A value is an attribute's.
type value struct {
	form form
	u    uint64 // numbers, addresses, offsets, flags; for references the DIE's, from the start of its file's .debug_info
	b    []byte // blocks and expressions
	s    string
	f    *File // the file that a reference refers to
}

// attr returns the attribute of that name.
func (d die) attr(name dwarf.Attr) (v value, ok bool) {
	b := buf{data: d.u.f.info[:d.u.end], at: int(d.vals)}
	for i := range d.attrs {
		spec := &d.attrs[i]
		if spec.name == name {
			v = d.u.value(&b, spec.form, spec.constant)
			return v, !b.bad
		}
		s := [1]step{d.u.step(spec.form)}
		d.u.skip(&b, s[:])
		if b.bad {
			break
		}
	}
	return v, false
}

func (d die) text(name dwarf.Attr) string {
	v, _ := d.attr(name)
	return v.s
}

func (d die) flag(name dwarf.Attr) bool {
	v, ok := d.attr(name)
	return ok && v.u != 0
}

// number returns the attribute of that name as an unsigned number.
func (d die) number(name dwarf.Attr) (uint64, bool) {
	v, ok := d.attr(name)
	return v.u, ok && v.b == nil
}

// end returns the offset of the next entry: d's first child or its sibling.
func (d die) end() (uint32, bool) {
	b := buf{data: d.u.f.info[:d.u.end], at: int(d.vals)}
	d.u.skip(&b, d.steps)
	return uint32(b.at), !b.bad
}

// next returns the offset of d's next sibling, behind its children.
func (d die) next() (uint32, bool) {
	if !d.children {
		return d.end()
	}
	if off, ok := d.sibling(); ok {
		return off, true
	}
	at, ok := d.end()
	for depth := 1; ok && depth > 0; {
		if at >= d.u.end {
			return 0, false
		}
		if d.u.f.info[at] == 0 {
			depth--
			at++
			continue
		}
		child, found := d.u.die(at)
		if !found {
			return 0, false
		}
		if off, is := child.sibling(); child.children && is {
			at = off
			continue
		}
		if child.children {
			depth++
		}
		at, ok = child.end()
	}
	return at, ok
}

// sibling returns DW_AT_sibling, if it leads forward.
func (d die) sibling() (uint32, bool) {
	if d.toSibling == nil {
		return 0, false
	}
	b := buf{data: d.u.f.info[:d.u.end], at: int(d.vals)}
	d.u.skip(&b, d.toSibling)
	v := d.u.value(&b, d.siblingForm, 0)
	if b.bad || v.u <= uint64(d.vals) || v.u >= uint64(d.u.end) {
		return 0, false
	}
	return uint32(v.u), true
}

// eachChild calls visit for d's children until it returns false.
func (d die) eachChild(visit func(die) bool) {
	if !d.children {
		return
	}
	at, ok := d.end()
	for ok {
		child, found := d.u.die(at)
		if !found || !visit(child) {
			return
		}
		at, ok = child.next()
	}
}

// ref follows a reference to another DIE.
func (d die) ref(name dwarf.Attr) (die, bool) {
	v, ok := d.attr(name)
	if !ok || v.f == nil {
		return die{}, false
	}
	if v.f == d.u.f && v.u >= uint64(d.u.off) && v.u < uint64(d.u.end) {
		return d.u.die(uint32(v.u))
	}
	return v.f.dieAt(v.u)
}

// maxOrigins bounds chains of DW_AT_abstract_origin and DW_AT_specification.
const maxOrigins = 8

// origins calls visit for d, its abstract origin and so on, until it returns true.
func (d die) origins(visit func(die) bool) {
	for range maxOrigins {
		if visit(d) {
			return
		}
		next, ok := d.ref(dwarf.AttrAbstractOrigin)
		if !ok {
			next, ok = d.ref(dwarf.AttrSpecification)
		}
		if !ok {
			return
		}
		d = next
	}
}

// name returns the DIE's own name or that of an abstract origin.
func (d die) name() (s string) {
	d.origins(func(o die) bool {
		s = o.text(dwarf.AttrName)
		return s != ""
	})
	return s
}

// value reads an attribute's value.
func (u *unit) value(b *buf, f form, constant int64) value {
	v := value{form: f}
	switch f {
	case formImplicit:
		v.u = uint64(constant)
	case formFlagPresent:
		v.u = 1
	case formAddr:
		v.u = b.uint(int(u.addrSize))
	case formData1, formFlag:
		v.u = uint64(b.u8())
	case formData2:
		v.u = uint64(b.u16())
	case formData4:
		v.u = uint64(b.u32())
	case formData8:
		v.u = b.u64()
	case formRefSig8:
		if off, ok := u.f.typeSigned(b.u64()); ok {
			v.u, v.f = off, u.f
		}
	case formData16:
		v.b = b.take(16)
	case formUdata, formLoclistx, formRnglistx:
		v.u = b.uleb()
	case formSdata:
		v.u = uint64(b.sleb())
	case formSecOffset:
		v.u = b.offset(u.dwarf64)
	case formRef1, formRef2, formRef4, formRef8:
		v.u, v.f = uint64(u.off)+b.uint(1<<(f-formRef1)), u.f
	case formRefUdata:
		v.u, v.f = uint64(u.off)+b.uleb(), u.f
	case formRefAddr:
		if u.version <= 2 {
			v.u, v.f = b.uint(int(u.addrSize)), u.f
		} else {
			v.u, v.f = b.offset(u.dwarf64), u.f
		}
	case formGNURefAlt:
		v.u, v.f = b.offset(u.dwarf64), u.f.alt
	case formRefSup4:
		v.u, v.f = uint64(b.u32()), u.f.alt
	case formRefSup8:
		v.u, v.f = b.u64(), u.f.alt
	case formString:
		v.s = b.text()
	case formStrp:
		v.s = textAt(u.f.str, b.offset(u.dwarf64))
	case formLineStrp:
		v.s = textAt(u.f.lineStr, b.offset(u.dwarf64))
	case formGNUStrpAlt, formStrpSup:
		off := b.offset(u.dwarf64)
		if u.f.alt != nil {
			v.s = textAt(u.f.alt.str, off)
		}
	case formStrx, formGNUStrIndex:
		v.s = u.indexedText(b.uleb())
	case formStrx1, formStrx2, formStrx3, formStrx4:
		v.s = u.indexedText(b.uint(int(f-formStrx1) + 1))
	case formAddrx, formGNUAddrIndex:
		v.u = u.indexedAddr(b.uleb())
	case formAddrx1, formAddrx2, formAddrx3, formAddrx4:
		v.u = u.indexedAddr(b.uint(int(f-formAddrx1) + 1))
	case formBlock, formExprloc:
		v.b = b.take(b.uleb())
	case formBlock1:
		v.b = b.take(uint64(b.u8()))
	case formBlock2:
		v.b = b.take(uint64(b.u16()))
	case formBlock4:
		v.b = b.take(uint64(b.u32()))
	case formIndirect:
		if f := form(b.uleb()); f != formIndirect && f != formImplicit {
			return u.value(b, f, 0)
		}
		b.bad = true
	default:
		b.bad = true
	}
	return v
}

// indexedText returns a string by its number in .debug_str_offsets.
func (u *unit) indexedText(i uint64) string {
	size := uint64(u.offsetSize())
	if i > 1<<32 {
		return ""
	}
	b := bufAt(u.f.strOffsets, u.strOffsets+i*size)
	off := b.offset(u.dwarf64)
	if b.bad {
		return ""
	}
	return textAt(u.f.str, u.strBase+off)
}

// indexedAddr returns an address by its number in .debug_addr.
func (u *unit) indexedAddr(i uint64) uint64 {
	if i > 1<<32 {
		return 0
	}
	b := bufAt(u.f.addr, u.addrBase+i*uint64(u.addrSize))
	return b.uint(int(u.addrSize))
}
