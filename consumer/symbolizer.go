// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"slices"
	"sort"
	"time"

	"github.com/pkg/errors"

	"gostap/internal/kallsyms"
)

// A symbolizer finds the symbols of kernel addresses. It reads /proc/kallsyms at the first
// look-up, and again if an address is in no function, as a module may have been loaded
// since; but not too often, as that takes long.
type symbolizer struct {
	open func() (io.ReadCloser, error)
	list []symbol // by address
	text []byte   // all of kallsyms
	now  func() time.Time
	next time.Time // not read again before

	lines *kernelLines // nil if none are known
}

// A symbol is a line of kallsyms.
type symbol struct {
	addr uint64
	line uint32 // where in symbolizer.text it begins
}

// A symbolized address is an offset in a symbol.
type symbolized struct {
	name, module []byte
	offset, size uint64 // size is 0 if it isn't known
}

// After kallsyms was read, unknown addresses do not make it be read again for at least reread, and share times as long as reading took.
const (
	reread = time.Second
	share  = 10
)

func newSymbolizer(lines *kernelLines) *symbolizer {
	return &symbolizer{lines: lines, now: time.Now, open: func() (io.ReadCloser, error) { return os.Open(kallsyms.Path) }}
}

// find returns the symbol of addr, and whether there is one.
func (s *symbolizer) find(addr uint64) (symbolized, bool) {
	p, ok := s.lookUp(addr)
	if ok {
		return p, true
	}
	began := s.now()
	if began.Before(s.next) {
		return p, false
	}
	err := s.load()
	read := s.now()
	s.next = read.Add(max(reread, share*read.Sub(began)))
	if err != nil {
		return p, false
	}
	return s.lookUp(addr)
}

// lookUp returns the last symbol up to addr, as the kernel does: of several at one address the first.
func (s *symbolizer) lookUp(addr uint64) (symbolized, bool) {
	behind := sort.Search(len(s.list), func(i int) bool { return s.list[i].addr > addr })
	if behind == 0 {
		return symbolized{}, false
	}
	at := behind - 1
	for at > 0 && s.list[at-1].addr == s.list[at].addr {
		at--
	}
	sym := &s.list[at]
	name, module := s.names(sym)
	p := symbolized{name: name, module: module, offset: addr - sym.addr}
	if behind < len(s.list) {
		p.size = s.list[behind].addr - sym.addr
		if _, next := s.names(&s.list[behind]); !bytes.Equal(next, module) {
			// The next symbol is another module's: this module's end is at most at the end of the page.
			p.size = min(p.size, (sym.addr|(pageSize-1))+1-sym.addr)
		}
		return p, p.offset < p.size
	}
	return p, p.offset < pageSize
}

const pageSize = 4096

// names returns a symbol's name and its module's, which is nil for the kernel's own.
func (s *symbolizer) names(sym *symbol) (name, module []byte) {
	line, _, _ := bytes.Cut(s.text[sym.line:], []byte{'\n'})
	return kallsyms.Symbol(line).Name()
}

// load reads kallsyms. Values below the kernel's half of the address space are per-CPU offsets.
func (s *symbolizer) load() error {
	f, err := s.open()
	if err != nil {
		return errors.WithStack(err)
	}
	defer f.Close()
	if s.text, err = io.ReadAll(f); err != nil {
		return errors.WithStack(err)
	}
	s.list = slices.Grow(s.list[:0], bytes.Count(s.text, []byte{'\n'}))
	at := 0
	for line := range bytes.Lines(s.text) {
		sym := kallsyms.Symbol(bytes.TrimSuffix(line, []byte{'\n'}))
		if kallsyms.IsSymbol(sym) && sym.Addr()>>63 != 0 {
			s.list = append(s.list, symbol{sym.Addr(), uint32(at)})
		}
		at += len(line)
	}
	slices.SortStableFunc(s.list, func(a, b symbol) int { return cmp.Compare(a.addr, b.addr) })
	return nil
}
