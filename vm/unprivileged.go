// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/cache"
)

//go:embed preload/virtiofsd.c
var preloadSource []byte

// byUser makes virtiofsd work for an ordinary user: as root of a user namespace in which no other user
// is mapped. On the host it has the user's rights and groups, and no more.
func (p *process) byUser(gcc string) error {
	preload, err := preloaded(gcc)
	if err != nil {
		return errors.Wrap(err, "micro-VM: what virtiofsd needs for an ordinary user")
	}
	p.cmd.Env = append(os.Environ(), "LD_PRELOAD="+preload)
	p.cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	p.cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
	p.cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	// virtiofsd keeps a file open for each inode that the guest knows, and its limit is that of the
	// user.
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		return errors.Wrap(err, "getrlimit")
	}
	p.cmd.Args = append(p.cmd.Args, fmt.Sprintf("--rlimit-nofile=%d", files.Max))
	return nil
}

// preloaded returns the library built from preload/virtiofsd.c.
func preloaded(gcc string) (string, error) {
	key := sha256.Sum256(preloadSource)
	dir := cache.Path("vm", "preload-"+hex.EncodeToString(key[:8]))
	library := filepath.Join(dir, "virtiofsd.so")
	if cache.Intact(dir) {
		return library, nil
	}
	err := cache.Fill(dir, func(tmp string) error {
		source := filepath.Join(tmp, "virtiofsd.c")
		if err := os.WriteFile(source, preloadSource, 0o644); err != nil {
			return err
		}
		cmd := exec.Command(gcc, "-O2", "-shared", "-fPIC", "-nostdlib", "-o", filepath.Join(tmp, "virtiofsd.so"), source)
		cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
		if out, err := cmd.CombinedOutput(); err != nil {
			return errors.Errorf("%s: %v\n%s", cmd, err, out)
		}
		return nil
	})
	return library, err
}

// refusedNamespace explains how to allow user namespaces for ordinary users, which Debian does by
// default.
func refusedNamespace(err error) error {
	if os.Geteuid() == 0 || !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOSPC) {
		return err
	}
	return errors.Wrap(err, "micro-VM: an ordinary user's virtiofsd takes a user namespace, which this machine refuses; "+
		"run it as root, or see the sysctls user.max_user_namespaces and kernel.unprivileged_userns_clone")
}
