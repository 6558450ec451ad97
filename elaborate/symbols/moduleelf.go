// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"

	"github.com/pkg/errors"
)

// A moduleFile is a module as it is linked: sections at no addresses yet, and
// relocations.
type moduleFile struct {
	elf     *elf.File
	file    []byte
	symbols []elf.Symbol // number n of the file is at n-1

	relocated map[elf.SectionIndex]map[uint64]spot // cache of pointer
}

// A spot is an offset in a section.
type spot struct {
	section elf.SectionIndex
	offset  uint64
}

func parseModule(file []byte) (*moduleFile, error) {
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, errors.Wrap(err, "kernel module")
	}
	if f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || f.Machine != elf.EM_X86_64 || f.Type != elf.ET_REL {
		return nil, errors.Errorf("kernel module: %v %v %v: only those for x86-64 are known", f.Class, f.Machine, f.Type)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, errors.Wrap(err, "kernel module")
	}
	return &moduleFile{f, file, symbols, map[elf.SectionIndex]map[uint64]spot{}}, nil
}

// section returns the section of that name, nil if there is none.
func (m *moduleFile) section(name string) *elf.Section { return m.elf.Section(name) }

// data returns a section's content, a part of the file; nil if it has none.
func (m *moduleFile) data(name string) []byte {
	s := m.section(name)
	if s == nil || s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 ||
		s.Offset > uint64(len(m.file)) || s.FileSize > uint64(len(m.file))-s.Offset {
		return nil
	}
	return m.file[s.Offset : s.Offset+s.FileSize]
}

// pointers returns the targets of a section's relocations, by the offsets that they
// fill in.
func (m *moduleFile) pointers(name string) map[uint64]spot {
	const relaSize = 24
	all := map[uint64]spot{}
	for rela := m.data(".rela" + name); len(rela) >= relaSize; rela = rela[relaSize:] {
		number := binary.LittleEndian.Uint32(rela[12:])
		if number == 0 || uint64(number) > uint64(len(m.symbols)) {
			continue
		}
		s := &m.symbols[number-1]
		all[binary.LittleEndian.Uint64(rela)] = spot{s.Section, s.Value + binary.LittleEndian.Uint64(rela[16:])}
	}
	return all
}

// pointer returns the target of the pointer at an offset from at.
func (m *moduleFile) pointer(at spot, offset uint64) spot {
	if at.section <= 0 || int(at.section) >= len(m.elf.Sections) {
		return spot{}
	}
	all, ok := m.relocated[at.section]
	if !ok {
		all = m.pointers(m.elf.Sections[at.section].Name)
		m.relocated[at.section] = all
	}
	return all[at.offset+offset]
}

// targets returns the targets of a section's relocations.
func (m *moduleFile) targets(name string) map[spot]bool {
	set := map[spot]bool{}
	for _, to := range m.pointers(name) {
		set[to] = true
	}
	return set
}

// text returns the string at a spot, "" if there is none.
func (m *moduleFile) text(at spot) string {
	if at.section <= 0 || int(at.section) >= len(m.elf.Sections) {
		return ""
	}
	data := m.data(m.elf.Sections[at.section].Name)
	if at.offset >= uint64(len(data)) {
		return ""
	}
	data = data[at.offset:]
	n := bytes.IndexByte(data[:min(len(data), 256)], 0)
	if n <= 0 || bytes.ContainsAny(data[:n], " \n") {
		return ""
	}
	return string(data[:n])
}

// functions returns the module's functions.
func (m *moduleFile) functions() []Func {
	sites, blacklist := m.targets("__mcount_loc"), m.targets("_kprobe_blacklist")
	reserved := map[spot]Refusal{}
	for _, t := range codeTables {
		for at, to := range m.pointers(t.section) {
			if at%t.entry == 0 {
				reserved[to] = t.refusal
			}
		}
	}
	exported := map[string]bool{}
	for i := range m.symbols {
		if name, ok := strings.CutPrefix(m.symbols[i].Name, "__ksymtab_"); ok {
			exported[name] = true
		}
	}
	var list []Func
	for i := range m.symbols {
		s := &m.symbols[i]
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section <= 0 || int(s.Section) >= len(m.elf.Sections) || s.Size == 0 || s.Size > 1<<31 {
			continue
		}
		kind := map[elf.SymBind]byte{elf.STB_GLOBAL: 'T', elf.STB_WEAK: 'W'}[elf.ST_BIND(s.Info)]
		if kind == 0 {
			kind = 't'
		}
		if !isFunction(&symbol{kind: kind, name: s.Name}) {
			continue
		}
		at := spot{s.Section, s.Value}
		f := Func{Name: s.Name, Addr: s.Value, Offset: int64(s.Value), Size: uint32(s.Size), Kind: kind, Exported: exported[s.Name]}
		f.Ftrace = sites[at] || sites[spot{at.section, at.offset + endbr}]
		switch section := m.elf.Sections[s.Section].Name; {
		case strings.HasPrefix(section, ".init") || strings.HasPrefix(section, ".exit"):
			f.Refusal = ModuleInit
		case strings.HasPrefix(section, ".noinstr"):
			f.Refusal = Noinstr
		case strings.HasPrefix(section, ".kprobes"):
			f.Refusal = Kprobes
		case blacklist[at]:
			f.Refusal = Blacklisted
		case strings.HasPrefix(s.Name, "__SCT__"):
			f.Refusal = Trampoline
		default:
			f.Refusal = reserved[at]
		}
		list = append(list, f)
	}
	return list
}

// tracepoints returns the module's tracepoints, as imageTracepoints does for the kernel.
func (m *moduleFile) tracepoints() []tracepoint {
	var list []tracepoint
	at := map[spot]int{} // in list
	for i := range m.symbols {
		s := &m.symbols[i]
		if name, ok := strings.CutPrefix(s.Name, tracepointPrefix); ok && s.Section > 0 && elf.ST_TYPE(s.Info) == elf.STT_OBJECT &&
			int(s.Section) < len(m.elf.Sections) && m.elf.Sections[s.Section].Name == "__tracepoints" {
			at[spot{s.Section, s.Value}] = len(list)
			list = append(list, tracepoint{name: name, addr: s.Value})
		}
	}
	if len(list) == 0 {
		return nil
	}
	for _, call := range m.pointers("_ftrace_events") {
		if i, ok := at[m.pointer(call, callTracepoint)]; ok {
			list[i].system = m.text(m.pointer(m.pointer(call, callClass), classSystem))
		}
	}
	return list
}
