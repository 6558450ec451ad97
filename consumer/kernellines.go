// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"runtime"
	"unsafe"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/consumer/unwind"
	"gostap/internal/cache"
	"gostap/internal/kallsyms"
	"gostap/internal/linetable"
)

// kernelLines has the lines of the running kernel's own code, without modules. A nil one has none.
type kernelLines struct {
	table *linetable.Table
	start uint64 // the address from which the table's offsets count: _stext's
}

// openKernelLines opens the table of lines that the script was built with.
func (s *session) openKernelLines() error {
	m := s.manifest
	if m.Lines == "" {
		return nil
	}
	if m.Images[0].BuildID != kernelBuildID() {
		s.messages.warning("the lines of %s are not those of the running kernel, which is another build: addresses are printed instead", m.Lines)
		return nil
	}
	table, err := openLineTable(m.Lines)
	if err != nil {
		s.messages.warning("the lines of the kernel's code are not known: %v", err)
		return nil
	}
	start, err := kallsyms.Address("_stext")
	if err != nil {
		return err
	}
	s.lines = &kernelLines{table, start}
	if !m.KernelLines {
		return nil
	}
	return errors.Wrap(s.lines.send(s.mod.name), "sending the lines of the kernel's code")
}

func openLineTable(path string) (*linetable.Table, error) {
	data, err := cache.Map(path)
	if err != nil {
		return nil, err
	}
	t, err := linetable.Decode(data)
	return t, errors.Wrap(err, path)
}

// find returns the file and line of the code at an address; "" if they are not known.
func (l *kernelLines) find(addr uint64) (file string, line int) {
	if l == nil || addr-l.start >= 1<<32 {
		return "", 0
	}
	file, line, _ = l.table.Find(uint32(addr - l.start))
	return file, line
}

// send sends the table to the kernel side, for handlers.
func (l *kernelLines) send(module string) error {
	control, err := openStarter(module)
	if err != nil {
		return err
	}
	defer control.close()
	rules, path := []unwind.Rule{{}}, []byte{0}
	args := imageTable{image: kernelImage, fd: -1, nrules: 1, start: l.start, rules: address(rules), path: address(path),
		nlines: uint32(len(l.table.Rows)), lines: address(l.table.Rows), namesSize: uint32(len(l.table.Names)), names: address(l.table.Names)}
	err = ioctl(int(control.file.Fd()), iocTable, uintptr(unsafe.Pointer(&args)))
	runtime.KeepAlive(rules)
	runtime.KeepAlive(path)
	if errors.Is(err, unix.EEXIST) { // the consumer that started the session has sent them
		return nil
	}
	return err
}
