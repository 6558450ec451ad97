// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"bytes"
	"fmt"

	"golang.org/x/arch/x86/x86asm"

	"gostap/elaborate/symbols"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

func init() {
	register(absolute, "kernel.statement(number).absolute", "kprobe.statement(number).absolute")
}

// absolute builds kernel.statement(ADDRESS).absolute: an instruction of the
// kernel itself. The address is where the instruction is in the running kernel;
// if the target is another kernel, where it is linked.
func absolute(s *session, m match) ([]*Place, *syntax.Diagnostic) {
	addr := uint64(m.number("statement", 0))
	if !s.target.Guru {
		d := m.errorf("statement(%#x).absolute: an address may be probed in guru mode only", addr)
		d.Hint = "run the script with -g"
		return nil, d
	}
	k, err := s.target.Kernel()
	if err != nil {
		s.broken = s.target.complain(m.at(), err)
		return nil, s.broken
	}
	slide, err := k.Slide()
	if err != nil {
		return nil, s.target.complain(m.at(), err)
	}
	f, ok := k.At(addr - slide)
	if !ok {
		return nil, m.errorf("%#x is in no function of kernel %s", addr, k.Release)
	}
	offset := int64(addr - slide - f.Addr)
	if f.Refusal != symbols.Probeable {
		return nil, m.errorf("%s can't be probed: %s %s", spot(&f, offset), f.Name, f.Refusal)
	}
	types, err := s.target.types()
	if err != nil {
		return nil, s.target.complain(m.at(), err)
	}
	var alternative int64
	for _, id := range typesNamed(types, "struct alt_instr") {
		alternative = types.Size(id)
	}
	code, err := k.Code(&f, alternative)
	if err != nil {
		return nil, s.target.complain(m.at(), err)
	}
	if why := notProbeable(code, offset); why != "" {
		return nil, m.errorf("%s can't be probed: %s", spot(&f, offset), why)
	}
	root := m.point.Components[0].Name
	return []*Place{{Point: &program.Point{
		At:     m.at(),
		Family: "kprobe",
		Name:   fmt.Sprintf("%s.statement(%#x).absolute", root, addr),
		Func:   f.Base(),
		Symbol: f.Name,
		Offset: offset,

		SymbolOffset: f.Offset,
	}}}, nil
}

// spot spells a place in a function: vfs_read+0x12.
func spot(f *symbols.Func, offset int64) string { return fmt.Sprintf("%s+%#x", f.Name, offset) }

// endbr64 marks where indirect branches may lead to.
var endbr64 = []byte{0xf3, 0x0f, 0x1e, 0xfa}

// prefixes are bytes that are no instructions: one that stands alone belongs to
// an instruction that the decoder does not know.
var prefixes = []byte{0x26, 0x2e, 0x36, 0x3e, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f,
	0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3}

// notProbeable says why there can't be a probe at offset in a function's code,
// "" if there can. The length of each instruction tells where the next begins.
func notProbeable(code *symbols.Code, offset int64) string {
	for _, r := range code.Rewritten {
		if offset >= r.Start && offset < r.End {
			return "it is in " + r.Why
		}
	}
	for at := int64(0); at < offset; {
		rest, length := code.Bytes[at:], int64(len(endbr64))
		if !bytes.HasPrefix(rest, endbr64) {
			in, err := x86asm.Decode(rest, 64)
			if err != nil || in.Len == 1 && bytes.IndexByte(prefixes, rest[0]) >= 0 {
				return fmt.Sprintf("the instruction at +%#x before it is not known, and so not where those behind it begin", at)
			}
			length = int64(in.Len)
		}
		if at+length > offset {
			return fmt.Sprintf("no instruction begins there, but at +%#x and +%#x", at, at+length)
		}
		at += length
	}
	return ""
}
