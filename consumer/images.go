// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/consumer/unwind"
	"gostap/consumer/userimage"
	"gostap/internal/linetable"
	"gostap/manifest"
)

// images are the programs and libraries in programs' stacks of a session, by the
// numbers that the kernel side has given them. It makes the tables that the kernel
// side unwinds with. Its methods may be called from several goroutines.
type images struct {
	control *starter
	names   bool // send the names of symbols, too
	lines   bool // and the lines of code
	warn    func(format string, args ...any)

	perfMaps *perfMaps // of generated code; used by the output only

	closed chan struct{}

	mu    sync.Mutex
	known map[uint32]*userimage.Image // nil: it can't be opened
	next  uint32                      // the first that has not been fetched
	full  bool                        // there is no room for more tables, which has been reported
}

func newImages(control *starter, m *manifest.Manifest, warn func(string, ...any)) *images {
	return &images{control: control, names: m.UserSymbols, lines: m.UserLines, warn: warn, perfMaps: newPerfMaps(), closed: make(chan struct{}),
		known: map[uint32]*userimage.Image{}, next: kernelImage + 1}
}

// update fetches new images from the kernel side, and sends their tables.
func (im *images) update() {
	im.mu.Lock()
	defer im.mu.Unlock()
	path := make([]byte, unix.PathMax)
	for !im.isClosed() {
		next := nextImage{image: im.next, path: address(path), pathSize: uint32(len(path))}
		err := ioctl(int(im.control.file.Fd()), iocImage, uintptr(unsafe.Pointer(&next)))
		runtime.KeepAlive(path)
		if err != nil {
			return // there is none
		}
		im.next++
		im.take(&next, unix.ByteSliceToString(path))
	}
}

// take takes an image from the kernel side. It has a file or, if another consumer has sent its table, a path.
func (im *images) take(n *nextImage, path string) {
	if _, known := im.known[n.image]; known {
		if n.fd >= 0 {
			unix.Close(int(n.fd))
		}
		return
	}
	var file *os.File
	if n.fd >= 0 {
		file = os.NewFile(uintptr(n.fd), "")
		path = pathOf(file)
	} else if path != "" {
		file, _ = os.Open(path)
	}
	im.known[n.image] = nil
	if file != nil {
		im.add(n.image, n.fd >= 0, file, path)
	}
}

// pathOf returns an open file's path in this process's root.
func pathOf(f *os.File) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return "?"
	}
	return strings.TrimSuffix(path, " (deleted)")
}

// add adds an image, and sends its table if the kernel side has none.
func (im *images) add(number uint32, send bool, file *os.File, path string) {
	image, err := userimage.Open(file, path)
	if err != nil {
		return // mapped as code, but no ELF file
	}
	im.known[number] = image
	if send {
		im.send(image, &imageTable{image: number, fd: -1})
	}
}

// send sends an image's table. Without one, stacks are unwound by frame pointers.
func (im *images) send(image *userimage.Image, args *imageTable) error {
	t, err := image.Table()
	if err != nil {
		t = &unwind.Table{Rules: []unwind.Rule{{}}}
	}
	var symbols []imageSymbol
	lines := &linetable.Table{}
	if im.lines {
		lines = cmp.Or(image.LineTable(im.closed), lines)
	}
	names := lines.Names
	if im.names {
		symbols, names = packSymbols(image, names)
	}
	path := append([]byte(image.Path), 0)
	args.nrows, args.nrules = uint32(len(t.Offsets)), uint32(len(t.Rules))
	args.nsymbols, args.nlines, args.namesSize = uint32(len(symbols)), uint32(len(lines.Rows)), uint32(len(names))
	args.offsets, args.ruleOf, args.rules = address(t.Offsets), address(t.RuleOf), address(t.Rules)
	args.symbols, args.lines, args.names, args.path = address(symbols), address(lines.Rows), address(names), address(path)
	err = ioctl(int(im.control.file.Fd()), iocTable, uintptr(unsafe.Pointer(args)))
	runtime.KeepAlive(t)
	runtime.KeepAlive(symbols)
	runtime.KeepAlive(lines)
	runtime.KeepAlive(names)
	runtime.KeepAlive(path)
	if errors.Is(err, unix.ENOSPC) && !im.full {
		im.full = true
		im.warn("the tables for unwinding programs' stacks would take more than %d MB: from %s on, stacks go by frame pointers", tablesMax>>20, image.Path)
	}
	return err
}

// address returns the address of a slice's elements, for the kernel side.
func address[T any](s []T) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) }

// packSymbols returns an image's symbols in the kernel side's form, by their offsets
// in the file, and appends their names to names.
func packSymbols(image *userimage.Image, before []byte) ([]imageSymbol, []byte) {
	var list []imageSymbol
	names := bytes.NewBuffer(before)
	last := uint32(0)
	for _, s := range image.Symbols() {
		at, ok := image.Offset(s.Addr)
		if !ok || at >= 1<<32 || uint32(at) < last || s.Size >= 1<<32 {
			continue
		}
		last = uint32(at)
		list = append(list, imageSymbol{uint32(at), uint32(s.Size), uint32(names.Len())})
		names.WriteString(s.Name)
		names.WriteByte(0)
	}
	return list, names.Bytes()
}

// preload sends the table of a file that processes are expected to map.
func (im *images) preload(path string) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	im.preloadFile(file, pathOf(file))
}

func (im *images) preloadAll(paths []string) {
	for _, path := range paths {
		im.preload(path)
	}
}

// preloadFile is preload for a file that is open, which it takes over.
func (im *images) preloadFile(file *os.File, path string) {
	im.mu.Lock()
	defer im.mu.Unlock()
	image, err := userimage.Open(file, path)
	if err != nil {
		return
	}
	args := imageTable{image: noImage, fd: int32(file.Fd())}
	err = im.send(image, &args)
	if _, known := im.known[args.image]; known || args.image == noImage || err != nil && !errors.Is(err, unix.ENOSPC) {
		image.Close()
		return
	}
	im.known[args.image] = image
}

// preloadVDSO sends the table of the image that the kernel maps into all processes, this one among them.
func (im *images) preloadVDSO() {
	data := ownVDSO()
	if data == nil {
		return
	}
	image, err := userimage.OfBytes(data, "[vdso]")
	if err != nil {
		return
	}
	im.mu.Lock()
	defer im.mu.Unlock()
	im.known[vdsoImage] = image
	im.send(image, &imageTable{image: vdsoImage, fd: -1})
}

// image returns the image of a number; nil if it is not known.
func (im *images) image(number uint32) *userimage.Image {
	im.mu.Lock()
	image, known := im.known[number]
	im.mu.Unlock()
	if known || number == noImage {
		return image
	}
	im.update()
	im.mu.Lock()
	defer im.mu.Unlock()
	return im.known[number]
}

// isClosed reports whether the session ends, and nobody needs tables any more.
func (im *images) isClosed() bool {
	select {
	case <-im.closed:
		return true
	default:
		return false
	}
}

func (im *images) close() {
	close(im.closed) // before the lock, which is held while tables are made
	im.mu.Lock()
	defer im.mu.Unlock()
	for _, image := range im.known {
		if image != nil {
			image.Close()
		}
	}
	im.control.close()
}
