// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"

	"github.com/pkg/errors"

	"gostap/internal/mainthread"
)

// A starter is the file that starts and stops a session. Both ioctls return when that is done, and run the script's begin,
// end and error probes in this process's first thread: embedded C may follow current->tasks, a list of first threads.
type starter struct{ file *os.File }

func openStarter(module string) (*starter, error) {
	f, err := os.OpenFile(filepath.Join(sessionDirs+module, "control"), os.O_RDWR, 0)
	return &starter{f}, errors.WithStack(err)
}

// startParams are the arguments of START.
type startParams struct {
	addrs   []uint64
	target  int64
	files   []int32  // descriptors of the images' files, -1 for none
	globals []string // NAME=VALUE
	flags   uint32
}

func (s *starter) start(p startParams) error {
	var globals []byte
	for _, g := range p.globals {
		if strings.Contains(g, "\x00") {
			return errors.Errorf("-G %q: a NUL can't be passed", g)
		}
		globals = append(append(globals, g...), 0)
	}
	args := startArgs{
		addrs:       uint64(uintptr(unsafe.Pointer(unsafe.SliceData(p.addrs)))),
		naddrs:      uint32(len(p.addrs)),
		globals:     uint64(uintptr(unsafe.Pointer(unsafe.SliceData(globals)))),
		globalsSize: uint32(len(globals)),
		files:       uint64(uintptr(unsafe.Pointer(unsafe.SliceData(p.files)))),
		nfiles:      uint32(len(p.files)),
		target:      p.target,
		flags:       p.flags,
	}
	var err error
	mainthread.Call(func() { err = ioctl(int(s.file.Fd()), iocStart, uintptr(unsafe.Pointer(&args))) })
	runtime.KeepAlive(p.addrs)
	runtime.KeepAlive(p.files)
	runtime.KeepAlive(globals)
	return err
}

func (s *starter) stop() (err error) {
	mainthread.Call(func() { err = ioctl(int(s.file.Fd()), iocStop, 0) })
	return err
}

func (s *starter) close() { s.file.Close() }
