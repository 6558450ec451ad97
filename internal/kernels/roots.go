// SPDX-License-Identifier: GPL-2.0-or-later

package kernels

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"gostap/internal/cache"
)

// roots returns the cache's roots, each by the one name that no link is in.
func roots() []string {
	dir, err := filepath.EvalSymlinks(cache.Path("roots"))
	if err != nil {
		return nil
	}
	found, _ := filepath.Glob(dir + "/*")
	return found
}

// inRoot puts the root's /usr in the place of the machine's, and runs the rest, where the folder is by its own distribution's name.
const inRoot = `mount --bind "$0/usr" /usr && cd "${PWD#"$0"}" && exec "$@"`

// Command is exec.CommandContext for a program that belongs to the kernel's distribution, such as the compiler that its headers
// want. In a root, it runs where the root's /usr is, in a mount namespace of its own, and everything else is the machine's:
// so paths mean the same here and there, but for those below /usr.
func (k Kernel) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if k.Root == "" {
		return exec.CommandContext(ctx, name, args...)
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", inRoot, k.Root, name}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
	if id := os.Getuid(); id != 0 {
		cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return cmd
}

// Inside returns a path, which another method has returned, as programs that Command runs see it.
func (k Kernel) Inside(path string) string { return strings.TrimPrefix(path, k.Root) }

// LookPath is exec.LookPath for programs that Command runs.
func (k Kernel) LookPath(name string) (string, error) {
	if k.Root == "" {
		return exec.LookPath(name)
	}
	return exec.LookPath(k.Path("/usr/bin", name))
}
