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
)

// symbols finds what kernel addresses are in. It reads /proc/kallsyms when it is
// first asked, and once more when an address is in no function: a module may have
// been loaded since.
type symbols struct {
	open func() (io.ReadCloser, error)
	list []symbol // by address
	text []byte   // all of kallsyms
	read time.Time
}

// A symbol is a line of kallsyms.
type symbol struct {
	addr         uint64
	name, module span // module is empty for the kernel's own
}

// A span is a part of symbols.text.
type span struct{ from, to uint32 }

// A place is what an address is in.
type place struct {
	name, module []byte
	offset, size uint64 // size is 0 if it isn't known
}

// reread is how long after a reading unknown addresses are not worth another.
const reread = time.Second

func newSymbols() *symbols {
	return &symbols{open: func() (io.ReadCloser, error) { return os.Open(kallsymsPath) }}
}

// find returns what addr is in, and whether there is such a thing.
func (s *symbols) find(addr uint64) (place, bool) {
	p, ok := s.lookUp(addr)
	if !ok && time.Since(s.read) > reread {
		s.read = time.Now()
		if s.load() == nil {
			return s.lookUp(addr)
		}
	}
	return p, ok
}

// lookUp takes the last symbol up to addr, as the kernel does: of those at one address the first.
func (s *symbols) lookUp(addr uint64) (place, bool) {
	behind := sort.Search(len(s.list), func(i int) bool { return s.list[i].addr > addr })
	if behind == 0 {
		return place{}, false
	}
	at := behind - 1
	for at > 0 && s.list[at-1].addr == s.list[at].addr {
		at--
	}
	sym := &s.list[at]
	p := place{name: s.of(sym.name), module: s.of(sym.module), offset: addr - sym.addr}
	if behind < len(s.list) {
		p.size = s.list[behind].addr - sym.addr
		if !bytes.Equal(s.of(s.list[behind].module), p.module) {
			// Behind a module's last symbol comes who knows what, but not within the page.
			p.size = min(p.size, (sym.addr|(pageSize-1))+1-sym.addr)
		}
		return p, p.offset < p.size
	}
	return p, p.offset < pageSize
}

const pageSize = 4096

func (s *symbols) of(part span) []byte { return s.text[part.from:part.to] }

func (s *symbols) load() error {
	f, err := s.open()
	if err != nil {
		return errors.WithStack(err)
	}
	defer f.Close()
	if s.text, err = io.ReadAll(f); err != nil {
		return errors.WithStack(err)
	}
	s.list = slices.Grow(s.list[:0], bytes.Count(s.text, []byte{'\n'}))
	for at := 0; at < len(s.text); {
		end := bytes.IndexByte(s.text[at:], '\n')
		if end < 0 {
			break
		}
		s.line(at, at+end)
		at += end + 1
	}
	slices.SortStableFunc(s.list, func(a, b symbol) int { return cmp.Compare(a.addr, b.addr) })
	return nil
}

// line takes s.text[from:to]: "address type name", and a tab and "[module]" behind
// it. Of the kernel's, those below its half of the addresses are per-CPU offsets.
func (s *symbols) line(from, to int) {
	const nameAt = 19
	if to-from <= nameAt {
		return
	}
	addr := parseHex(s.text[from : from+16])
	if addr>>63 == 0 {
		return
	}
	name := span{uint32(from + nameAt), uint32(to)}
	module := span{}
	if tab := bytes.IndexByte(s.of(name), '\t'); tab >= 0 && s.text[to-1] == ']' {
		module = span{name.from + uint32(tab) + 2, name.to - 1}
		name.to = name.from + uint32(tab)
	}
	s.list = append(s.list, symbol{addr, name, module})
}
