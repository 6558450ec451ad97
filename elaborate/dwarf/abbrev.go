// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import "debug/dwarf"

// An abbrev is an entry of .debug_abbrev: tag and attributes of the DIEs with its code.
type abbrev struct {
	tag      dwarf.Tag
	children bool
	attrs    []attrSpec
	// steps skip over all attributes, toSibling over those before DW_AT_sibling;
	// toSibling is nil without that attribute.
	steps, toSibling []step
	siblingForm      form
	signed           bool // it has DW_AT_signature
}

type attrSpec struct {
	name     dwarf.Attr
	form     form
	constant int64 // of formImplicit
}

// A step skips over attributes: up to maxStep it is their size, above that their encoding.
type step uint16

const (
	stepLEB step = 0xff00 + iota
	stepString
	stepBlock1
	stepBlock2
	stepBlock4
	stepBlock
	stepIndirect
	stepUnknown
	maxStep = 0xfeff
)

// abbrevs are the abbreviations of a unit, by code.
type abbrevs struct {
	dense  []*abbrev // codes from 1 on, as compilers number them
	sparse map[uint64]*abbrev
}

func (a *abbrevs) find(code uint64) *abbrev {
	if code < uint64(len(a.dense)) {
		return a.dense[code]
	}
	return a.sparse[code]
}

// maxAttrs bounds how many attributes a DIE has.
const maxAttrs = 1 << 12

// parseAbbrevs reads the table at offset. Sizes of forms depend on the unit's.
func parseAbbrevs(section []byte, offset uint64, h *header) (*abbrevs, error) {
	b := bufAt(section, offset)
	table := &abbrevs{dense: make([]*abbrev, 1, 128)}
	for {
		code := b.uleb()
		if code == 0 {
			break
		}
		a := &abbrev{tag: dwarf.Tag(b.uleb()), children: b.u8() != 0}
		for {
			spec := attrSpec{name: dwarf.Attr(b.uleb()), form: form(b.uleb())}
			if spec.form == formImplicit {
				spec.constant = b.sleb()
			}
			if spec.name == 0 && spec.form == 0 || b.bad {
				break
			}
			if len(a.attrs) == maxAttrs {
				return nil, errDWARF
			}
			a.signed = a.signed || spec.name == dwarf.AttrSignature
			if spec.name == dwarf.AttrSibling && a.toSibling == nil {
				a.toSibling, a.siblingForm = append([]step{}, a.steps...), spec.form
			}
			a.steps = addStep(a.steps, h.step(spec.form))
			a.attrs = append(a.attrs, spec)
		}
		if b.bad {
			return nil, errDWARF
		}
		switch {
		case code == uint64(len(table.dense)):
			table.dense = append(table.dense, a)
		case table.sparse == nil:
			table.sparse = map[uint64]*abbrev{}
			fallthrough
		default:
			table.sparse[code] = a
		}
	}
	if b.bad {
		return nil, errDWARF
	}
	return table, nil
}

// addStep joins steps of fixed size.
func addStep(steps []step, s step) []step {
	if n := len(steps); n > 0 && s <= maxStep && steps[n-1] <= maxStep-s {
		steps[n-1] += s
		return steps
	}
	return append(steps, s)
}

// step returns how to skip over a form.
func (h *header) step(f form) step {
	switch f {
	case formFlagPresent, formImplicit:
		return 0
	case formData1, formFlag, formRef1, formStrx1, formAddrx1:
		return 1
	case formData2, formRef2, formStrx2, formAddrx2:
		return 2
	case formStrx3, formAddrx3:
		return 3
	case formData4, formRef4, formRefSup4, formStrx4, formAddrx4:
		return 4
	case formData8, formRef8, formRefSup8, formRefSig8:
		return 8
	case formData16:
		return 16
	case formAddr:
		return step(h.addrSize)
	case formStrp, formLineStrp, formSecOffset, formStrpSup, formGNURefAlt, formGNUStrpAlt:
		return step(h.offsetSize())
	case formRefAddr:
		if h.version <= 2 {
			return step(h.addrSize)
		}
		return step(h.offsetSize())
	case formUdata, formSdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx, formGNUAddrIndex, formGNUStrIndex:
		return stepLEB
	case formString:
		return stepString
	case formBlock1:
		return stepBlock1
	case formBlock2:
		return stepBlock2
	case formBlock4:
		return stepBlock4
	case formBlock, formExprloc:
		return stepBlock
	case formIndirect:
		return stepIndirect
	}
	return stepUnknown
}

// skip goes over the attributes that steps stand for.
func (h *header) skip(b *buf, steps []step) {
	for _, s := range steps {
		if s <= maxStep {
			b.at += int(s)
			if b.at > len(b.data) {
				b.at = len(b.data)
				b.bad = true
			}
			continue
		}
		switch s {
		case stepLEB:
			for b.u8()&0x80 != 0 {
			}
		case stepString:
			b.text()
		case stepBlock1:
			b.take(uint64(b.u8()))
		case stepBlock2:
			b.take(uint64(b.u16()))
		case stepBlock4:
			b.take(uint64(b.u32()))
		case stepBlock:
			b.take(b.uleb())
		case stepIndirect:
			f := form(b.uleb())
			if f == formIndirect || f == formImplicit {
				b.bad = true
				return
			}
			h.skip(b, []step{h.step(f)})
		default:
			b.bad = true
		}
		if b.bad {
			return
		}
	}
}
