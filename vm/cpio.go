// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"fmt"
	"io"
)

// cpioWriter writes a cpio archive in the "newc" format, which the kernel unpacks as an initramfs:
//
// \t"070701"  13 fields of 8 hexadecimal digits  name NUL  padding to 4  data  padding to 4
//
// The kernel unpacks concatenated archives, so an archive can be extended by appending another.
type cpioWriter struct {
	w     io.Writer
	inode int
	err   error
}

// File types and permission bits in cpio, which are those of stat(2).
const (
	cpioDir     = 0o040755
	cpioProgram = 0o100755
	cpioRegular = 0o100644
	cpioSymlink = 0o120777
)

// add writes one entry. The data of a symlink are its target, those of a directory are empty. The
// directories above an entry must have been added before.
func (c *cpioWriter) add(name string, mode int, data []byte) {
	c.inode++
	links := 1
	if mode == cpioDir {
		links = 2
	}
	header := fmt.Sprintf("070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s\x00",
		c.inode, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(name)+1, 0, name)
	c.write(header)
	c.pad(len(header))
	c.write(string(data))
	c.pad(len(data))
}

// close ends the archive and returns the first error of all writes.
func (c *cpioWriter) close() error {
	c.inode = -1
	c.add("TRAILER!!!", 0, nil)
	return c.err
}

func (c *cpioWriter) write(s string) {
	if c.err == nil {
		_, c.err = io.WriteString(c.w, s)
	}
}

func (c *cpioWriter) pad(n int) {
	c.write("\x00\x00\x00"[:-n&3])
}
