// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

// A tag is what a DIE describes (DWARF 5, 7.5.3).
type tag uint16

const (
	tagArray          tag = 0x01
	tagClass          tag = 0x02
	tagEnumeration    tag = 0x04
	tagParameter      tag = 0x05
	tagLabel          tag = 0x0a
	tagLexicalBlock   tag = 0x0b
	tagMember         tag = 0x0d
	tagPointer        tag = 0x0f
	tagReference      tag = 0x10
	tagStructure      tag = 0x13
	tagSubroutineType tag = 0x15
	tagTypedef        tag = 0x16
	tagUnion          tag = 0x17
	tagVariadic       tag = 0x18
	tagInlined        tag = 0x1d
	tagSubrange       tag = 0x21
	tagBase           tag = 0x24
	tagConst          tag = 0x26
	tagEnumerator     tag = 0x28
	tagSubprogram     tag = 0x2e
	tagVariable       tag = 0x34
	tagVolatile       tag = 0x35
	tagRestrict       tag = 0x37
	tagUnspecified    tag = 0x3b
	tagAtomic         tag = 0x47
	tagCallSite       tag = 0x48
	tagGNUCallSite    tag = 0x4109
)

// An attr is what an attribute tells (DWARF 5, 7.5.4).
type attr uint16

const (
	atSibling        attr = 0x01
	atLocation       attr = 0x02
	atName           attr = 0x03
	atByteSize       attr = 0x0b
	atBitSize        attr = 0x0d
	atStmtList       attr = 0x10
	atLowPC          attr = 0x11
	atHighPC         attr = 0x12
	atCompDir        attr = 0x1b
	atConstValue     attr = 0x1c
	atUpperBound     attr = 0x2f
	atAbstractOrigin attr = 0x31
	atCount          attr = 0x37
	atDataMemberLoc  attr = 0x38
	atDeclFile       attr = 0x3a
	atDeclLine       attr = 0x3b
	atDeclaration    attr = 0x3c
	atEncoding       attr = 0x3e
	atFrameBase      attr = 0x40
	atSpecification  attr = 0x47
	atType           attr = 0x49
	atRanges         attr = 0x55
	atEntryPC        attr = 0x52
	atDataBitOffset  attr = 0x6b
	atBitOffset      attr = 0x0c
	atSignature      attr = 0x69
	atStrOffsetsBase attr = 0x72
	atAddrBase       attr = 0x73
	atRnglistsBase   attr = 0x74
	atLoclistsBase   attr = 0x8c
	atCallOrigin     attr = 0x7f
	atCallReturnPC   attr = 0x7d
	atCallTailCall   attr = 0x82
	atGNUTailCall    attr = 0x2115
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
