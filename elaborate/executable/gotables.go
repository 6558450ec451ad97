// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"slices"
	"strings"
)

// GoTables are addresses, as linked, of the Go linker's tables of types. They are found by symbols,
// which a program built with -ldflags=-s does not have.
type GoTables struct {
	Types uint64              // where the offsets of types' names count from; 0 if unknown
	Itabs map[string][]GoItab // of an interface, by its name: the types that are converted to it in the program's code
}

// A GoItab is an itab: an interface's value begins with a pointer to that of its type.
type GoItab struct {
	Type string // "*os.File"
	Addr uint64
}

// readGoTables reads the symbols of a Go program's types: runtime.types and go:itab.TYPE,INTERFACE (cmd/link).
func (f *File) readGoTables() *GoTables {
	t := &GoTables{Itabs: map[string][]GoItab{}}
	if !f.IsGo {
		return t
	}
	list, err := f.elf.Symbols()
	if err != nil {
		return t
	}
	for _, s := range list {
		if s.Name == "runtime.types" {
			t.Types = s.Value
		}
		name, ok := strings.CutPrefix(s.Name, "go:itab.")
		if comma := strings.LastIndexByte(name, ','); ok && comma > 0 {
			t.Itabs[name[comma+1:]] = append(t.Itabs[name[comma+1:]], GoItab{name[:comma], s.Value})
		}
	}
	for _, list := range t.Itabs {
		// The program's own types come first.
		slices.SortStableFunc(list, func(a, b GoItab) int {
			rank := func(i GoItab) int {
				switch name := strings.TrimPrefix(i.Type, "*"); {
				case strings.HasPrefix(name, "main."), i.Type == "*errors.errorString":
					return 0
				case strings.HasPrefix(name, "runtime."), strings.HasPrefix(name, "internal/"), strings.HasPrefix(name, "vendor/"):
					return 2
				}
				return 1
			}
			return rank(a) - rank(b)
		})
	}
	return t
}

// GoTables returns the addresses of the program's tables of types.
func (f *File) GoTables() *GoTables { return f.goTables() }
