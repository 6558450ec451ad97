// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"bytes"
	"cmp"
	"debug/elf"
	"slices"

	"github.com/pkg/errors"

	"gostap/elaborate/symbols"
	"gostap/internal/compress"
)

// Functions returns the functions of the symbol tables: of .symtab, .dynsym, and
// of .gnu_debugdata (MiniDebugInfo), which is a symbol table for stripped programs.
func (f *File) Functions() (*symbols.Functions, error) { return f.functions() }

func (f *File) readFunctions() (*symbols.Functions, error) {
	var list []symbols.Func
	dynamic, err := f.elf.DynamicSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, errors.Wrapf(err, "%s: its dynamic symbols", f.Path)
	}
	list = f.add(list, dynamic, true)
	static, err := f.elf.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, errors.Wrapf(err, "%s: its symbols", f.Path)
	}
	list = f.add(list, static, false)
	mini, err := f.miniSymbols()
	if err != nil {
		return nil, errors.Wrapf(err, "%s: its .gnu_debugdata", f.Path)
	}
	list = f.add(list, mini, false)
	found, err := symbols.NewFunctions(unique(list))
	return found, errors.Wrap(err, f.Path)
}

// miniSymbols returns the symbols of the ELF file that is compressed in .gnu_debugdata.
func (f *File) miniSymbols() ([]elf.Symbol, error) {
	_, packed, err := f.section(".gnu_debugdata")
	if err != nil || len(packed) == 0 {
		return nil, err
	}
	data, err := compress.Decompress(packed)
	if err != nil {
		return nil, err
	}
	e, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	list, err := e.Symbols()
	if errors.Is(err, elf.ErrNoSymbols) {
		return nil, nil
	}
	return list, err
}

// add adds those of syms that are functions with code in the file.
func (f *File) add(list []symbols.Func, syms []elf.Symbol, dynamic bool) []symbols.Func {
	for i := range syms {
		s := &syms[i]
		kind := elf.ST_TYPE(s.Info)
		if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC || s.Name == "" || s.Section == elf.SHN_UNDEF || !f.IsCode(s.Value) {
			continue
		}
		bind := elf.ST_BIND(s.Info)
		letter := map[elf.SymBind]byte{elf.STB_LOCAL: 't', elf.STB_WEAK: 'W'}[bind]
		if letter == 0 {
			letter = 'T'
		}
		list = append(list, symbols.Func{Name: s.Name, Addr: s.Value, Size: uint32(min(s.Size, 1<<31)), Kind: letter,
			Exported: dynamic && bind != elf.STB_LOCAL})
	}
	return list
}

// unique drops what several tables have, keeping what comes first, and gives functions
// of unknown size that up to the next.
func unique(list []symbols.Func) []symbols.Func {
	slices.SortStableFunc(list, func(a, b symbols.Func) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Name, b.Name))
	})
	list = slices.CompactFunc(list, func(a, b symbols.Func) bool { return a.Addr == b.Addr && a.Name == b.Name })
	for i := range list {
		for j := i + 1; j < len(list) && list[i].Size == 0; j++ {
			list[i].Size = uint32(min(list[j].Addr-list[i].Addr, 1<<31))
		}
	}
	return list
}
