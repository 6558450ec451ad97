// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"io"
	"os"

	"github.com/pkg/errors"

	"gostap/manifest"
)

const kallsymsPath = "/proc/kallsyms"

// resolve returns the address of each symbol in the running kernel, 0 for
// those that it does not have. sameKernel says that the symbols' offsets are
// true: then kernel symbols cost one look at the first lines of /proc/kallsyms
// instead of a pass over its hundred thousand.
func resolve(symbols []manifest.Symbol, sameKernel bool) ([]uint64, error) {
	if len(symbols) == 0 {
		return nil, nil
	}
	f, err := os.Open(kallsymsPath)
	if err != nil {
		return nil, errors.Wrap(err, "the kernel was built without CONFIG_KALLSYMS")
	}
	defer f.Close()
	return resolveFrom(f, symbols, sameKernel)
}

func resolveFrom(kallsyms io.Reader, symbols []manifest.Symbol, sameKernel bool) ([]uint64, error) {
	addrs := make([]uint64, len(symbols))
	w := wanted{addrs: addrs, byName: make(map[string][]want)}
	for i, s := range symbols {
		if sameKernel && s.Module == "" && s.Offset != 0 {
			w.byOffset = true
			continue
		}
		w.byName[s.Name] = append(w.byName[s.Name], want{s.Module, i})
		w.left++
	}
	if err := scanKallsyms(kallsyms, &w); err != nil {
		return nil, err
	}
	if w.hidden {
		return nil, errors.New("the kernel hides its addresses, from root too: allow them with sysctl kernel.kptr_restrict=1")
	}
	for i, s := range symbols {
		if sameKernel && s.Module == "" && s.Offset != 0 {
			if w.stext == 0 {
				return nil, errors.New(kallsymsPath + " has no _stext")
			}
			addrs[i] = w.stext + s.Offset
		}
	}
	return addrs, nil
}

// wanted is what a pass over kallsyms looks for, and what it has found.
type wanted struct {
	byName   map[string][]want
	left     int // symbols by name not found yet
	byOffset bool
	stext    uint64
	hidden   bool // _stext is there, with address 0
	addrs    []uint64
}

type want struct {
	module string
	index  int
}

func (w *wanted) done() bool {
	return w.hidden || w.left == 0 && (w.stext != 0 || !w.byOffset)
}

// scanKallsyms reads lines of "address type name" or "address type
// name\t[module]" until everything wanted is found. A name that occurs more
// than once is taken where it comes first.
func scanKallsyms(r io.Reader, w *wanted) error {
	buf := make([]byte, 64<<10)
	n := 0
	for !w.done() {
		got, err := r.Read(buf[n:])
		n += got
		rest := buf[:n]
		for !w.done() {
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				break
			}
			w.line(rest[:end])
			rest = rest[end+1:]
		}
		n = copy(buf, rest)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return errors.WithStack(err)
		}
		if n == len(buf) {
			return errors.New(kallsymsPath + ": a line of 64 KiB")
		}
	}
	return nil
}

func (w *wanted) line(line []byte) {
	const nameAt = 19 // 16 hex digits, blank, type, blank
	if len(line) <= nameAt {
		return
	}
	name := line[nameAt:]
	if w.stext == 0 && string(name) == "_stext" {
		w.stext = parseHex(line[:16])
		w.hidden = w.stext == 0
	}
	if w.left == 0 {
		return
	}
	var module []byte
	if last := len(name) - 1; name[last] == ']' {
		if tab := bytes.IndexByte(name, '\t'); tab >= 0 && tab+2 <= last {
			name, module = name[:tab], name[tab+2:last]
		}
	}
	for _, want := range w.byName[string(name)] {
		if want.module == string(module) && w.addrs[want.index] == 0 {
			w.addrs[want.index] = parseHex(line[:16])
			w.left--
		}
	}
}

func parseHex(digits []byte) uint64 {
	var n uint64
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uint64(c-'a'+10)
		default:
			return 0
		}
	}
	return n
}
