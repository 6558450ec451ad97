// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"fmt"
	"net"
	"os"

	"github.com/pkg/errors"

	"gostap/internal/cache"
)

// startVirtiofsd starts the server of the host's root directory, with the caller's rights, and returns
// it with the socket for qemu.
func startVirtiofsd(t tools) (*process, *os.File, error) {
	listening, connected, err := vhostSockets()
	if err != nil {
		return nil, nil, errors.Wrap(err, "virtiofsd's socket")
	}
	defer listening.Close()
	p := newProcess(nil, []*os.File{listening}, t.virtiofsd, "-f", "--fd=3",
		"-o", "source=/", "-o", "sandbox=chroot", "-o", "cache=always", "-o", "log_level=err")
	if os.Geteuid() != 0 {
		err = p.byUser(t.gcc)
	}
	if err == nil {
		err = refusedNamespace(p.start())
	}
	if err != nil {
		connected.Close()
		return nil, nil, err
	}
	return p, connected, nil
}

// vhostSockets returns a listening socket and one that is connected to it. They have a name only
// temporarily, so that nothing has to be removed later. It is in a directory that only its owner may
// enter, because a connected process can read all files. The path of the directory's descriptor is
// used, as its own path may be longer than a socket's name may be.
func vhostSockets() (listening, connected *os.File, err error) {
	if err := os.MkdirAll(cache.Root(), 0o755); err != nil {
		return nil, nil, err
	}
	path, err := os.MkdirTemp(cache.Root(), ".vm-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(path)
	dir, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	addr := &net.UnixAddr{Name: fmt.Sprintf("/proc/self/fd/%d/fs", dir.Fd()), Net: "unix"}
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
