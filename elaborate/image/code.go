// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"bytes"
	"fmt"
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/symbols"
)

// machineCode checks where kprobes can be put in the kernel's own code, or in a
// section of a module.
type machineCode struct {
	*symbols.Code
	decoded map[uint64]*instructions // by where they begin
}

// readCode reads the target kernel's code.
func (t *Target) readCode() (*machineCode, error) {
	k, err := t.kernel()
	if err != nil {
		return nil, err
	}
	size, err := t.altInstr()
	if err != nil {
		return nil, err
	}
	code, err := k.Code(size)
	if err != nil {
		return nil, err
	}
	return &machineCode{code, map[uint64]*instructions{}}, nil
}

// readModuleCode reads a module's code, by its sections.
func (t *Target) readModuleCode(m *symbols.Module) (map[string]*machineCode, error) {
	size, err := t.altInstr()
	if err != nil {
		return nil, err
	}
	sections, err := m.Code(size)
	if err != nil {
		return nil, err
	}
	all := map[string]*machineCode{}
	for name, code := range sections {
		all[name] = &machineCode{code, map[uint64]*instructions{}}
	}
	return all, nil
}

// altInstr is the size of the target kernel's struct alt_instr.
func (t *Target) altInstr() (size int64, err error) {
	types, err := t.types()
	if err != nil {
		return 0, err
	}
	for _, id := range types.Find("alt_instr", btf.Struct) {
		size = types.Size(id)
	}
	return size, nil
}

// refusal returns why there can't be a kprobe at addr in the code that begins at start, "" if there
// can. told is set if debuginfo has an instruction at addr, which is used if the decoder fails.
func (c *machineCode) refusal(start, addr uint64, told bool) string {
	if why := c.Reserved(addr); why != "" {
		return "it is in " + why
	}
	in := c.decoded[start]
	if in == nil {
		in = &instructions{code: c.From(start)}
		c.decoded[start] = in
	}
	why, known := in.begin(int64(addr - start))
	if told && !known {
		return ""
	}
	return why
}

// refusalAt is refusal for an instance's code, whose base symbol is a; base is the
// address of the machine code's section.
func (c *machineCode) refusalAt(info *dwarf.Info, in dwarf.Instance, a *BaseSymbol, addr, base uint64) string {
	start := a.Addr
	if addr < start || addr-start >= uint64(a.Size) {
		start = info.Start(in, addr) // the compiler has moved it out of the function
	}
	return c.refusal(start-base, addr-base, true)
}

// KernelRefusal says why there can't be a kprobe at addr in a function of the
// kernel itself, "" if there can.
func (t *Target) KernelRefusal(f symbols.Func, addr uint64) (string, error) {
	code, err := t.code()
	if err != nil {
		return "", err
	}
	if why := code.refusal(f.Addr, addr, false); why != "" {
		return why, nil
	}
	return t.jumpOver(&BaseSymbol{Func: f}, addr), nil
}

// jumpOver names the optimised kprobe whose jump covers the instruction at addr, in the
// running kernel, "" if there is none. The kernel would undo the optimisation, and slow down
// that kprobe of another tool's.
func (t *Target) jumpOver(a *BaseSymbol, addr uint64) string {
	probe := t.jumps().Over(addr)
	if a.Image.Module != "" {
		probe = t.jumps().OverModule(a.Image.Module, a.Name, int64(addr-a.Addr))
	}
	if probe == "" {
		return ""
	}
	return "the kernel has optimised the kprobe at " + probe + " into a jump, which stands over it " +
		"(until whoever probes there ends, or after sysctl debug.kprobes-optimization=0)"
}

// endbr64 marks where indirect branches may lead to.
var endbr64 = []byte{0xf3, 0x0f, 0x1e, 0xfa}

// prefixes are bytes that are no instructions by themselves: one that is decoded alone
// belongs to an instruction that the decoder does not know.
var prefixes = []byte{0x26, 0x2e, 0x36, 0x3e, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f,
	0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3}

// isVector reports whether an instruction is one of AVX: the decoder gets the length of
// some wrong.
func isVector(code []byte) bool {
	const vex2, vex3, evex = 0xc5, 0xc4, 0x62
	code = bytes.TrimLeft(code, "\x26\x2e\x36\x3e\x64\x65\x67") // of segments and address sizes
	return len(code) > 0 && (code[0] == vex2 || code[0] == vex3 || code[0] == evex)
}

// instructions are those of a piece of code, decoded as far as they have been needed.
type instructions struct {
	code   []byte
	starts []int64
	end    int64 // of the last
}

// begin says why no instruction begins at offset, "" if one does. Decoding goes from one
// instruction to the next; known is false if it meets one that the decoder does not know.
func (i *instructions) begin(offset int64) (why string, known bool) {
	for i.end <= offset {
		rest, length := i.code[min(i.end, int64(len(i.code))):], int64(len(endbr64))
		if !bytes.HasPrefix(rest, endbr64) {
			in, err := x86asm.Decode(rest, 64)
			if err != nil || isVector(rest) || in.Len == 1 && bytes.IndexByte(prefixes, rest[0]) >= 0 {
				if i.end == offset {
					return "", true
				}
				return fmt.Sprintf("the instruction at +%#x before it is not known, and so not where those behind it begin", i.end), false
			}
			length = int64(in.Len)
		}
		i.starts = append(i.starts, i.end)
		i.end += length
	}
	n, ok := slices.BinarySearch(i.starts, offset)
	if ok {
		return "", true
	}
	next := i.end
	if n < len(i.starts) {
		next = i.starts[n]
	}
	return fmt.Sprintf("no instruction begins there, but at +%#x and +%#x", i.starts[n-1], next), true
}
