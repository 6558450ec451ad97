// SPDX-License-Identifier: GPL-2.0-or-later

package unwind

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"strings"

	"github.com/go-delve/delve/pkg/dwarf/frame"
	"github.com/pkg/errors"

	"gostap/internal/gopclntab"
)

// maxSection is how large call frame information may be. Chromium, with 200 MB of code, has 16 MB of it.
const maxSection = 256 << 20

// Read makes the table of an x86-64 ELF file: of .eh_frame and, for functions that are not in there, .debug_frame, or, in
// Go's programs that are stripped of it, .gopclntab. The table is empty if a file has none of them.
func Read(r io.ReaderAt) (*Table, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	return OfELF(f)
}

// OfELF is Read for an open file.
func OfELF(f *elf.File) (*Table, error) {
	if f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || f.Machine != elf.EM_X86_64 {
		return nil, errors.Errorf("%v %v: only x86-64 is known", f.Class, f.Machine)
	}
	code := Code(f)
	b := newBuilder(code, nil)
	table, err := goTable(f)
	if err != nil {
		return nil, err
	}
	if table != nil {
		b.injected = injectedCalls(table.Funcs)
		if f.Section(".debug_frame") == nil {
			if err := table.Frames(b.goFrame); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range []string{".eh_frame", ".debug_frame"} {
		s := f.Section(name)
		if s == nil || s.Type == elf.SHT_NOBITS {
			continue
		}
		entries, err := parse(s, name == ".eh_frame")
		if err != nil {
			return nil, errors.Wrap(err, name)
		}
		for _, e := range entries {
			b.pieces = append(b.pieces, piece{e.Begin(), func() error { return b.entry(e) }})
		}
	}
	t, err := b.build()
	if err != nil || table == nil {
		return t, err
	}
	for _, s := range onThreadStack(f, table.Funcs) {
		if begin, inCode := fileOffset(code, s.addr); inCode && len(t.Rules) < 1<<16-2 {
			t.replace(begin, begin+uint32(s.size), s.rule)
		}
	}
	return t, nil
}

// goTable reads a program's .gopclntab; nil if it has none.
func goTable(f *elf.File) (*gopclntab.Table, error) {
	table, err := gopclntab.Read(f)
	if errors.Is(err, gopclntab.ErrNone) {
		return nil, nil
	}
	return table, err
}

// injectedCalls returns the addresses of functions whose calls Go's signal handler injects at any instruction: there is no call
// instruction before their return address (sigctxt.pushCall in the runtime's signal_amd64.go).
func injectedCalls(funcs []gopclntab.Func) map[uint64]bool {
	injected := map[uint64]bool{}
	for _, fn := range funcs {
		switch strings.TrimSuffix(fn.Name, ".abi0") {
		case "runtime.asyncPreempt", "runtime.sigpanic":
			injected[fn.Addr] = true
		}
	}
	return injected
}

// Code returns the segments of a file that are executable.
func Code(f *elf.File) []Segment {
	var code []Segment
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			code = append(code, Segment{p.Vaddr, p.Off, p.Filesz})
		}
	}
	return code
}

// parse reads the entries of a section. Delve's reader panics at truncated data.
func parse(s *elf.Section, eh bool) (entries frame.FrameDescriptionEntries, err error) {
	defer func() {
		if recover() != nil {
			err = errFrame
		}
	}()
	if s.Size > maxSection {
		return nil, errors.Errorf("%d MB", s.Size>>20)
	}
	data, err := s.Data()
	if err != nil {
		return nil, errors.WithStack(err)
	}
	addr := uint64(0)
	if eh {
		addr = s.Addr
		if addr == 0 {
			return nil, errors.New("it has no address")
		}
	}
	return frame.Parse(data, binary.LittleEndian, 0, 8, addr)
}
