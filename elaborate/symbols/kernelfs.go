// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"io"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// readTracefs reads a file of tracefs; what names its content, for errors.
func readTracefs(name, what string) ([]byte, error) {
	text, err := readKernelFS("tracefs", "/sys/kernel/tracing", name)
	if os.IsNotExist(err) {
		text, err = os.ReadFile(filepath.Join("/sys/kernel/debug/tracing", name))
	}
	return text, errors.Wrap(err, what+" (mount -t tracefs tracefs /sys/kernel/tracing)")
}

// readKernelFS reads a file of one of the kernel's own file systems. If it is not
// mounted at a folder, the file is read from a detached mount (Linux 5.2, as root). The error is os.ErrNotExist's kind if neither
// has the file.
func readKernelFS(kind, folder, name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(folder, name))
	if !os.IsNotExist(err) {
		return text, err
	}
	root, mountErr := detachedMount(kind)
	if mountErr != nil {
		return nil, err
	}
	defer unix.Close(root)
	fd, openErr := unix.Openat(root, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if openErr != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return io.ReadAll(f)
}

// detachedMount mounts a file system of the kernel without attaching it; it returns a
// descriptor of its root, which the caller closes.
func detachedMount(kind string) (int, error) {
	fs, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fs)
	if err := unix.FsconfigCreate(fs); err != nil {
		return 0, err
	}
	return unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, 0)
}
