// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"io"
	"os"

	"github.com/pkg/errors"

	"gostap/internal/buildid"
	"gostap/internal/kallsyms"
	"gostap/manifest"
)

// resolve returns the address of each of m's symbols in the running kernel, 0 for those that it does
// not have. sameKernel is set if the symbols' offsets are valid: then the first lines of /proc/kallsyms
// suffice for kernel symbols, instead of all hundred thousand.
func resolve(m *manifest.Manifest, sameKernel bool) ([]uint64, error) {
	if len(m.Symbols) == 0 {
		return nil, nil
	}
	f, err := os.Open(kallsyms.Path)
	if err != nil {
		return nil, errors.Wrap(err, "the kernel was built without CONFIG_KALLSYMS")
	}
	defer f.Close()
	return resolveFrom(f, m, sameKernel)
}

func resolveFrom(list io.Reader, m *manifest.Manifest, sameKernel bool) ([]uint64, error) {
	addrs := make([]uint64, len(m.Symbols))
	w := wanted{addrs: addrs, byName: make(map[string][]want)}
	for i, s := range m.Symbols {
		if sameKernel && s.Image == 0 && s.Offset != 0 {
			w.byOffset = true
			continue
		}
		w.byName[s.Name] = append(w.byName[s.Name], want{m.Images[s.Image].Module, i})
		w.left++
	}
	if err := kallsyms.Scan(list, w.take); err != nil {
		return nil, err
	}
	if w.hidden {
		return nil, errors.New("the kernel hides its addresses, from root too: allow them with sysctl kernel.kptr_restrict=1")
	}
	for i, s := range m.Symbols {
		if sameKernel && s.Image == 0 && s.Offset != 0 {
			if w.stext == 0 {
				return nil, errors.New(kallsyms.Path + " has no _stext")
			}
			addrs[i] = w.stext + s.Offset
		}
	}
	return addrs, nil
}

// wanted are the symbols that a pass over kallsyms looks for, with those found.
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

// take takes a symbol, and reports whether more are wanted. A name that occurs
// more than once is taken where it comes first.
func (w *wanted) take(s kallsyms.Symbol) bool {
	name, module := s.Name()
	if w.stext == 0 && string(name) == "_stext" {
		w.stext = s.Addr()
		w.hidden = w.stext == 0
	}
	if w.left > 0 {
		for _, want := range w.byName[string(name)] {
			if want.module == string(module) && w.addrs[want.index] == 0 {
				w.addrs[want.index] = s.Addr()
				w.left--
			}
		}
	}
	return !w.done()
}

// kernelBuildID returns the running kernel's build-id in hex, "" if it has none.
func kernelBuildID() string {
	notes, err := os.ReadFile("/sys/kernel/notes")
	if err != nil {
		return ""
	}
	return buildid.Find(notes)
}
