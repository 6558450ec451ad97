// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"net"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
)

// startVirtiofsd starts the server of the host's root directory, and returns it with the socket for qemu.
// The two sockets have a name for a moment only: nothing is left to be removed.
func startVirtiofsd(program string) (*process, *os.File, error) {
	listening, connected, err := vhostSockets()
	if err != nil {
		return nil, nil, errors.Wrap(err, "virtiofsd's socket")
	}
	defer listening.Close()
	p, err := start(nil, []*os.File{listening}, program, "-f", "--fd=3",
		"-o", "source=/", "-o", "sandbox=chroot", "-o", "cache=always", "-o", "log_level=err")
	if err != nil {
		connected.Close()
		return nil, nil, err
	}
	return p, connected, nil
}

// vhostSockets returns a listening socket and one that has connected to it.
func vhostSockets() (listening, connected *os.File, err error) {
	dir, err := os.MkdirTemp("", "gostap-vm-") // accessible to its owner only
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	addr := &net.UnixAddr{Name: filepath.Join(dir, "fs"), Net: "unix"}
	l, err := net.ListenUnix("unix", addr)
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	c, err := net.DialUnix("unix", nil, addr)
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	if listening, err = l.File(); err != nil {
		return nil, nil, err
	}
	if connected, err = c.File(); err != nil {
		listening.Close()
		return nil, nil, err
	}
	return listening, connected, nil
}
