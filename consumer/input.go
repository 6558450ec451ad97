// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// inputFile is the file in the module's folder of procfs probes whose write probes
// get the bytes of standard input (tapsets/session/input.stp).
const (
	procfsDirs = "/proc/systemtap"
	inputFile  = "__stdin"
)

// feedInput passes each byte of standard input to the script's input probes, if it
// has any, until the input or the session ends. A terminal is switched to unbuffered
// input without echo, until restore is called.
func (s *session) feedInput() (restore func()) {
	restore = func() {}
	to, err := os.OpenFile(filepath.Join(procfsDirs, s.mod.name, inputFile), os.O_WRONLY, 0)
	if err != nil {
		return restore
	}
	fd := int(os.Stdin.Fd())
	if was, err := unix.IoctlGetTermios(fd, unix.TCGETS); err == nil {
		direct := *was
		direct.Lflag &^= unix.ICANON | unix.ECHO
		direct.Cc[unix.VMIN], direct.Cc[unix.VTIME] = 1, 0
		unix.IoctlSetTermios(fd, unix.TCSETS, &direct)
		restore = func() { unix.IoctlSetTermios(fd, unix.TCSETS, was) }
	}
	s.background(func() {
		defer to.Close()
		copyBytes(to, os.Stdin)
	})
	return restore
}

// copyBytes copies byte by byte until an error or the end.
func copyBytes(to io.Writer, from io.Reader) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		for i := range n {
			if _, err := to.Write(buf[i : i+1]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
