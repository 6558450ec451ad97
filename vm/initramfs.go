// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/compress"
	"gostap/internal/kernels"
)

//go:embed init.sh
var initScript []byte

// applets are the busybox commands that init.sh uses and that are not built into its shell.
var applets = []string{"cat", "chroot", "env", "hostname", "insmod", "ip", "ln", "mkdir", "mkfifo", "mount", "mv", "setsid", "sh", "sleep", "sync"}

// guestModules returns the files of the modules that a guest needs to mount its root and to open its
// streams, in load order.
func guestModules(kernel kernels.Kernel) ([]string, error) {
	tree, err := readModuleTree(kernel.Modules())
	if err != nil {
		return nil, err
	}
	return tree.loadOrder("virtio_pci", "virtio_console", "virtiofs", "overlay")
}

// openInitramfs returns an initramfs in memory: the part that depends only on the release, from the
// cache, followed by an archive with this run's session and command files.
func openInitramfs(release, busybox string, session, command string) (*os.File, error) {
	common, err := openCommonInitramfs(release, busybox)
	if err != nil {
		return nil, err
	}
	defer common.Close()
	fd, err := unix.MemfdCreate("initramfs", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, errors.Wrap(err, "memfd_create")
	}
	f := os.NewFile(uintptr(fd), "initramfs")
	if _, err = io.Copy(f, common); err == nil {
		archive := cpioWriter{w: f}
		archive.add("session", cpioRegular, []byte(session))
		archive.add("command", cpioRegular, []byte(command))
		err = archive.close()
	}
	if err != nil {
		f.Close()
		return nil, errors.Wrap(err, "initramfs")
	}
	return f, nil
}

func openCommonInitramfs(release, busybox string) (*os.File, error) {
	program, err := os.ReadFile(busybox)
	if err != nil {
		return nil, err
	}
	kernel := kernels.Find(release)
	paths, err := guestModules(kernel)
	if err != nil {
		return nil, err
	}
	modules := make([][]byte, len(paths))
	key := sha256.New()
	fmt.Fprintln(key, applets, paths)
	key.Write(initScript)
	key.Write(program)
	for i, path := range paths {
		if modules[i], err = os.ReadFile(filepath.Join(kernel.Modules(), path)); err != nil {
			return nil, err
		}
		key.Write(modules[i])
	}
	return cached(release, "initramfs", key.Sum(nil), func() ([]byte, error) {
		var archive bytes.Buffer
		c := cpioWriter{w: &archive}
		c.add("init", cpioProgram, initScript)
		for _, dir := range []string{"bin", "dev", "host", "modules", "newroot", "rw"} {
			c.add(dir, cpioDir, nil)
		}
		c.add("bin/busybox", cpioProgram, program)
		for _, applet := range applets {
			c.add("bin/"+applet, cpioSymlink, []byte("busybox"))
		}
		for i, path := range paths {
			module, err := compress.Decompress(modules[i])
			if err != nil {
				return nil, errors.Wrap(err, path)
			}
			c.add(fmt.Sprintf("modules/%02d-%s.ko", i, moduleName(path)), cpioRegular, module)
		}
		err := c.close()
		return archive.Bytes(), err
	})
}
