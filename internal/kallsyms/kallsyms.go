// SPDX-License-Identifier: GPL-2.0-or-later

// Package kallsyms reads /proc/kallsyms, the running kernel's list of its own
// symbols and those of its modules. A line is a symbol:
//
//	ffffffff81234560 T vfs_read
//	ffffffffc0002000 t ext4_file_read_iter	[ext4]
//
// The kernel's symbols come first, by address, then the modules'. For users without
// the right to see addresses, all are 0. There are more than a hundred thousand
// lines: a Symbol is parsed when its methods are called, and Scan stops early.
package kallsyms

import (
	"bytes"
	"io"
	"os"

	"github.com/pkg/errors"
)

// Path is the file with the list.
const Path = "/proc/kallsyms"

// A Symbol is a line, without its newline. From Scan, it is valid until the next one is read.
type Symbol []byte

const (
	addrSize = 16           // digits
	nameAt   = addrSize + 3 // blank, kind, blank
)

// IsSymbol reports whether there is a symbol in a line.
func IsSymbol(line []byte) bool { return len(line) > nameAt }

// Addr returns the symbol's address, 0 if it is hidden.
func (s Symbol) Addr() uint64 {
	var n uint64
	for _, c := range s[:addrSize] {
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

// Kind returns the symbol's kind, as nm(1) has it.
func (s Symbol) Kind() byte { return s[addrSize+1] }

// Name returns the symbol's name, which need not be unique, and that of its module, nil
// for the kernel itself.
func (s Symbol) Name() (name, module []byte) {
	name = s[nameAt:]
	if last := len(name) - 1; name[last] == ']' {
		if tab := bytes.IndexByte(name, '\t'); tab >= 0 && tab+2 <= last {
			return name[:tab], name[tab+2 : last]
		}
	}
	return name, nil
}

// Scan calls visit for each symbol of the list until it returns false.
func Scan(list io.Reader, visit func(Symbol) bool) error {
	buf := make([]byte, 64<<10)
	n := 0
	for {
		got, err := list.Read(buf[n:])
		n += got
		rest := buf[:n]
		for {
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				break
			}
			if IsSymbol(rest[:end]) && !visit(rest[:end]) {
				return nil
			}
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
			return errors.New(Path + ": a line of 64 KiB")
		}
	}
}

// Address returns the address of the running kernel's own symbol name, of several the first.
func Address(name string) (uint64, error) {
	f, err := os.Open(Path)
	if err != nil {
		return 0, errors.WithStack(err)
	}
	defer f.Close()
	var addr uint64
	if err := Scan(f, func(s Symbol) bool {
		if found, module := s.Name(); string(found) == name && module == nil {
			addr = s.Addr()
			return false
		}
		return true
	}); err != nil {
		return 0, err
	}
	if addr == 0 {
		return 0, errors.Errorf("%s has no %s, or hides its address", Path, name)
	}
	return addr, nil
}
