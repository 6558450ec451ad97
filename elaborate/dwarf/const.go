// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import "debug/dwarf"

// Tags and attributes are debug/dwarf's, but for these of GNU's.
const (
	tagGNUCallSite  dwarf.Tag  = 0x4109
	attrGNUTailCall dwarf.Attr = 0x2115
)

// A form is how an attribute is written (DWARF 5, 7.5.6).
type form uint16

const (
	formAddr         form = 0x01
	formBlock2       form = 0x03
	formBlock4       form = 0x04
	formData2        form = 0x05
	formData4        form = 0x06
	formData8        form = 0x07
	formString       form = 0x08
	formBlock        form = 0x09
	formBlock1       form = 0x0a
	formData1        form = 0x0b
	formFlag         form = 0x0c
	formSdata        form = 0x0d
	formStrp         form = 0x0e
	formUdata        form = 0x0f
	formRefAddr      form = 0x10
	formRef1         form = 0x11
	formRef2         form = 0x12
	formRef4         form = 0x13
	formRef8         form = 0x14
	formRefUdata     form = 0x15
	formIndirect     form = 0x16
	formSecOffset    form = 0x17
	formExprloc      form = 0x18
	formFlagPresent  form = 0x19
	formStrx         form = 0x1a
	formAddrx        form = 0x1b
	formRefSup4      form = 0x1c
	formStrpSup      form = 0x1d
	formData16       form = 0x1e
	formLineStrp     form = 0x1f
	formRefSig8      form = 0x20
	formImplicit     form = 0x21
	formLoclistx     form = 0x22
	formRnglistx     form = 0x23
	formRefSup8      form = 0x24
	formStrx1        form = 0x25
	formStrx2        form = 0x26
	formStrx3        form = 0x27
	formStrx4        form = 0x28
	formAddrx1       form = 0x29
	formAddrx2       form = 0x2a
	formAddrx3       form = 0x2b
	formAddrx4       form = 0x2c
	formGNUAddrIndex form = 0x1f01
	formGNUStrIndex  form = 0x1f02
	formGNURefAlt    form = 0x1f20
	formGNUStrpAlt   form = 0x1f21
)
