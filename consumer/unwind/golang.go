// SPDX-License-Identifier: GPL-2.0-or-later

package unwind

import (
	"debug/elf"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"gostap/internal/gopclntab"
)

// goFrame adds the rows of a Go function, by the stack depths in .gopclntab. A function with a frame saves its caller's frame
// pointer directly below the return address.
func (b *builder) goFrame(f *gopclntab.Frame) error {
	begin, inCode := fileOffset(b.code, f.Addr)
	if !inCode || f.Size == 0 || uint64(begin)+f.Size > 1<<32-1 {
		return nil
	}
	rows, injected := f.Rows, b.injected[f.Addr]
	b.pieces = append(b.pieces, piece{f.Addr, func() error {
		if f.Top {
			rows = []gopclntab.FrameRow{{Addr: f.Addr}}
		}
		for _, row := range rows {
			if err := b.add(begin+uint32(row.Addr-f.Addr), goRule(f, row.Depth, injected)); err != nil {
				return err
			}
		}
		return b.add(begin+uint32(f.Size), Rule{})
	}})
	return nil
}

func goRule(f *gopclntab.Frame, depth int32, injected bool) Rule {
	switch {
	case f.Top:
		return Rule{Flags: FlagEnd}
	case f.Writes || depth < 0:
		return Rule{}
	}
	r := Rule{CFA: CFARegister, Register: rsp, Offset: depth + 8, RAFrom: FromCFA, RA: -8, SavedFrom: FromCFA}
	if depth > 0 {
		i := savedIndex[rbp] - 1
		r.Saved, r.At[i] = 1<<i, -16
	}
	if injected {
		r.Flags = FlagSignal
	}
	return r
}

// A span is code, as linked, with a rule of its own.
type span struct {
	addr, size uint64
	rule       Rule
}

// onThreadStack returns the code of runtime.asmcgocall, if a program has it, that runs on a thread's stack, on which it calls
// functions of C. Before the call it stores the goroutine and the depth of its stack, which may be moved meanwhile, by
// MOVQ DI, 8(SP) and MOVQ DI, 0(SP), or, if it was not on a goroutine's stack, the stack pointer by MOVQ DX, 0(SP); behind the
// call it returns to where it was by MOVQ SI, SP (asm_amd64.s of Go's runtime). There, below the return address, is
// the caller's frame pointer, if it has been pushed.
func onThreadStack(f *elf.File, funcs []gopclntab.Func) (list []span) {
	i := slices.IndexFunc(funcs, func(fn gopclntab.Func) bool { return strings.TrimSuffix(fn.Name, ".abi0") == "runtime.asmcgocall" })
	if i < 0 || funcs[i].Size > 4096 {
		return nil
	}
	rule := Rule{Register: rsp, Add: 8, RAFrom: FromCFA, RA: -8, SavedFrom: FromCFA}
	code := codeAt(f, funcs[i].Addr, funcs[i].Size)
	begin := uint64(0)
	for at := uint64(0); at < uint64(len(code)); {
		in, err := x86asm.Decode(code[at:], 64)
		if err != nil {
			return nil
		}
		at += uint64(in.Len)
		to, _ := in.Args[0].(x86asm.Mem)
		stores := in.Op == x86asm.MOV && to.Base == x86asm.RSP && to.Disp == 0
		switch {
		case in.Op == x86asm.PUSH && in.Args[0] == x86asm.RBP:
			j := savedIndex[rbp] - 1
			rule.Add, rule.Saved, rule.At[j] = 16, 1<<j, -16
		case stores && in.Args[1] == x86asm.RDI:
			begin, rule.CFA = at, CFACgo
		case stores && in.Args[1] == x86asm.RDX:
			begin, rule.CFA = at, CFADeref
		case in.Op == x86asm.MOV && in.Args[0] == x86asm.RSP && in.Args[1] == x86asm.RSI && begin != 0:
			list = append(list, span{funcs[i].Addr + begin, at - begin, rule})
			begin = 0
		}
	}
	return list
}

// codeAt reads size bytes of code that is linked at addr; nil if the file does not have them.
func codeAt(f *elf.File, addr, size uint64) []byte {
	for _, p := range f.Progs {
		if at := addr - p.Vaddr; p.Type == elf.PT_LOAD && at < p.Filesz && size <= p.Filesz-at {
			code := make([]byte, size)
			if _, err := p.ReadAt(code, int64(at)); err != nil {
				return nil
			}
			return code
		}
	}
	return nil
}
