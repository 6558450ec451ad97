// SPDX-License-Identifier: GPL-2.0-or-later

package userimage

import (
	"bytes"
	"cmp"
	"debug/elf"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
	"github.com/therootcompany/xz"
)

// A Symbol is a piece of code or data.
type Symbol struct {
	Name       string // as the source spells it, if it is C++'s or Rust's
	Addr, Size uint64 // as linked; a size that the file leaves open is that up to the next symbol
}

// candidate is a symbol that may be taken.
type candidate struct {
	Symbol
	rank int
}

// readSymbols reads the symbols of a file: of its own tables, of MiniDebugInfo
// (a compressed ELF file in .gnu_debugdata), and of the separate debuginfo of its build-id.
func readSymbols(e *elf.File, buildID string) []Symbol {
	list := candidates(e)
	if e.Section(".symtab") == nil {
		if mini := miniDebugInfo(e); mini != nil {
			list = append(list, candidates(mini)...)
		}
		if debug, file := separateDebugInfo(buildID); debug != nil {
			list = append(list, candidates(debug)...)
			file.Close()
		}
	}
	return settle(list, codeEnds(e))
}

// candidates returns the symbols of .symtab and .dynsym.
func candidates(e *elf.File) []candidate {
	all, _ := e.Symbols()
	dynamic, _ := e.DynamicSymbols()
	list := make([]candidate, 0, len(all)+len(dynamic))
	for _, table := range [][]elf.Symbol{all, dynamic} {
		for i := range table {
			if c, ok := candidateOf(&table[i]); ok {
				list = append(list, c)
			}
		}
	}
	return list
}

func candidateOf(s *elf.Symbol) (candidate, bool) {
	kind := elf.ST_TYPE(s.Info)
	if s.Name == "" || s.Section == elf.SHN_UNDEF || s.Section >= elf.SHN_LORESERVE || s.Value == 0 {
		return candidate{}, false
	}
	c := candidate{Symbol: Symbol{s.Name, s.Value, s.Size}}
	switch kind {
	case elf.STT_FUNC, elf.STT_GNU_IFUNC, elf.STT_OBJECT:
	case elf.STT_NOTYPE:
		c.rank += 1000
	default:
		return candidate{}, false
	}
	// Of several names the one that programs call it by: global, and without the underscores of a library's own.
	switch elf.ST_BIND(s.Info) {
	case elf.STB_LOCAL:
		c.rank += 100
	case elf.STB_WEAK:
		c.rank += 10
	}
	c.rank += min(len(s.Name)-len(strings.TrimLeft(s.Name, "_")), 9)
	return c, true
}

// codeEnds returns where sections of code and data end, ascending.
func codeEnds(e *elf.File) []uint64 {
	var ends []uint64
	for _, s := range e.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 {
			ends = append(ends, s.Addr+s.Size)
		}
	}
	if len(ends) == 0 {
		for _, p := range e.Progs {
			if p.Type == elf.PT_LOAD {
				ends = append(ends, p.Vaddr+p.Memsz)
			}
		}
	}
	slices.Sort(ends)
	return ends
}

// settle chooses one symbol for each address, drops marks within functions, and fills sizes in.
func settle(list []candidate, ends []uint64) []Symbol {
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.rank, b.rank))
	})
	var out []Symbol
	covered := uint64(0) // up to where functions reach
	for _, c := range list {
		n := len(out)
		if n > 0 && out[n-1].Addr == c.Addr {
			out[n-1].Size = max(out[n-1].Size, c.Size)
			covered = max(covered, c.Addr+c.Size)
			continue
		}
		if c.Size == 0 && c.Addr < covered {
			continue
		}
		covered = max(covered, c.Addr+c.Size)
		out = append(out, c.Symbol)
	}
	for i := range out {
		s := &out[i]
		s.Name = plain(s.Name)
		if s.Size == 0 {
			at, _ := slices.BinarySearch(ends, s.Addr+1)
			if at < len(ends) {
				s.Size = ends[at] - s.Addr
			}
			if i+1 < len(out) && (s.Size == 0 || out[i+1].Addr-s.Addr < s.Size) {
				s.Size = out[i+1].Addr - s.Addr
			}
		}
	}
	return out
}

// maxDemangled is how long names may become, as a power of two: templates can make them grow without bounds.
const maxDemangled = 12

// plain returns a name as the source spells it: C++'s and Rust's are demangled, and versions dropped.
func plain(name string) string {
	if at := strings.IndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	if !strings.HasPrefix(name, "_Z") && !strings.HasPrefix(name, "_R") {
		return name
	}
	return demangle.Filter(name, demangle.MaxLength(maxDemangled))
}

// maxMini bounds the unpacked MiniDebugInfo; that of the largest programs takes some MB.
const maxMini = 256 << 20

func miniDebugInfo(e *elf.File) *elf.File {
	s := e.Section(".gnu_debugdata")
	if s == nil || s.Size > maxMini {
		return nil
	}
	packed, err := s.Data()
	if err != nil {
		return nil
	}
	r, err := xz.NewReader(bytes.NewReader(packed), 0)
	if err != nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxMini))
	if err != nil {
		return nil
	}
	mini, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	return mini
}

// separateDebugInfo opens the file that distributions install for a build-id; nil if there is none.
func separateDebugInfo(buildID string) (*elf.File, io.Closer) {
	if len(buildID) < 3 {
		return nil, nil
	}
	f, err := os.Open("/usr/lib/debug/.build-id/" + buildID[:2] + "/" + buildID[2:] + ".debug")
	if err != nil {
		return nil, nil
	}
	e, err := elf.NewFile(f)
	if err != nil || buildIDOf(e) != buildID {
		f.Close()
		return nil, nil
	}
	return e, f
}
