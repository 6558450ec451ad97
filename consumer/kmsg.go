// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/sys/unix"
)

// kmsg reads the kernel's log, for the reason why the kernel refuses a module: the
// error number alone is rarely sufficient.
type kmsg struct{ fd int }

// openKmsg starts at the log's end. If the log can't be opened, there are no messages.
func openKmsg() kmsg {
	fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return kmsg{-1}
	}
	unix.Seek(fd, 0, io.SeekEnd)
	return kmsg{fd}
}

// about returns the messages since openKmsg that begin with the prefix, without it.
func (k kmsg) about(prefix string) []string {
	var found []string
	buf := make([]byte, 8<<10)
	for k.fd >= 0 {
		n, err := unix.Read(k.fd, buf)
		if err == unix.EPIPE { // records were overwritten; go on with those that are left
			continue
		}
		if err != nil || n <= 0 {
			break
		}
		// "6,1234,5678,-;text\n KEY=value\n"
		_, text, _ := bytes.Cut(buf[:n], []byte{';'})
		line, _, _ := bytes.Cut(text, []byte{'\n'})
		if said, ok := strings.CutPrefix(string(line), prefix); ok {
			found = append(found, strings.TrimSpace(said))
		}
	}
	return found
}

func (k kmsg) close() {
	if k.fd >= 0 {
		unix.Close(k.fd)
	}
}
