// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate/symbols"
	"gostap/internal/cache"
	"gostap/internal/compress"
	"gostap/internal/gopclntab"
)

// Functions returns the functions of the symbol tables: of .symtab, .dynsym, and
// of .gnu_debugdata (MiniDebugInfo), which is a symbol table for stripped programs; of stripped
// programs of Go those of .gopclntab.
// They are kept in the cache for as long as the file is the same.
func (f *File) Functions() (*symbols.Functions, error) { return f.functions() }

func (f *File) keptFunctions() (*symbols.Functions, error) {
	info, err := os.Stat(f.Path)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	// Stripping a program does not change its build-id, so it is not sufficient as the key.
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%d", f.Path, f.BuildID, info.Size(), info.ModTime().UnixNano()))
	dir := cache.Path("programs", hex.EncodeToString(sum[:16]))
	kept := filepath.Join(dir, "symbols")
	if data, err := cache.Map(kept); err == nil {
		if functions, err := symbols.OpenFunctions(data); err == nil {
			cache.Use(dir)
			return functions, nil
		}
	}
	list, err := f.readFunctions()
	if err != nil {
		return nil, errors.Wrap(err, f.Path)
	}
	data, err := symbols.EncodeFunctions(list)
	if err != nil {
		return nil, errors.Wrap(err, f.Path)
	}
	if len(list) >= manyFunctions {
		if err := cache.Write(kept, data); err != nil {
			return nil, err
		}
		cache.Prune(filepath.Dir(dir), keptLimit)
	}
	return symbols.OpenFunctions(data)
}

// keptLimit bounds the bytes of all programs' functions in the cache: enough for some hundred large programs.
const keptLimit = 256 << 20

// manyFunctions is the number from which on the cache is faster than the symbol tables.
const manyFunctions = 2000

func (f *File) readFunctions() ([]symbols.Func, error) {
	var list []symbols.Func
	dynamic, err := f.elf.DynamicSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, errors.Wrap(err, "its dynamic symbols")
	}
	list = f.add(list, dynamic)
	static, err := f.elf.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, errors.Wrap(err, "its symbols")
	}
	list = f.add(list, static)
	mini, err := f.miniSymbols()
	if err != nil {
		return nil, errors.Wrap(err, "its .gnu_debugdata")
	}
	list = f.add(list, mini)
	if f.IsGo && len(static) == 0 {
		table, err := gopclntab.Read(f.elf)
		if err != nil {
			return nil, err
		}
		for _, fn := range table.Funcs {
			if f.IsCode(fn.Addr) {
				list = append(list, symbols.Func{Name: fn.Name, Addr: fn.Addr, Size: uint32(min(fn.Size, 1<<31)), Kind: 't'})
			}
		}
	}
	return unique(list), nil
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
func (f *File) add(list []symbols.Func, syms []elf.Symbol) []symbols.Func {
	for i := range syms {
		s := &syms[i]
		kind := elf.ST_TYPE(s.Info)
		if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC || s.Name == "" || s.Section == elf.SHN_UNDEF || !f.IsCode(s.Value) {
			continue
		}
		letter := map[elf.SymBind]byte{elf.STB_LOCAL: 't', elf.STB_WEAK: 'W'}[elf.ST_BIND(s.Info)]
		if letter == 0 {
			letter = 'T'
		}
		list = append(list, symbols.Func{Name: s.Name, Addr: s.Value, Size: uint32(min(s.Size, 1<<31)), Kind: letter})
	}
	return list
}

// unique removes duplicates from several tables, and sets unknown sizes to the distance to the next function.
func unique(list []symbols.Func) []symbols.Func {
	slices.SortFunc(list, func(a, b symbols.Func) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), strings.Compare(a.Name, b.Name))
	})
	list = slices.CompactFunc(list, func(a, b symbols.Func) bool { return a.Addr == b.Addr && a.Name == b.Name })
	for i := range list {
		for j := i + 1; j < len(list) && list[i].Size == 0; j++ {
			list[i].Size = uint32(min(list[j].Addr-list[i].Addr, 1<<31))
		}
	}
	return list
}
