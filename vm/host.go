// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"debug/elf"
	"os"
	"os/exec"
	"slices"

	"github.com/pkg/errors"

	"gostap/internal/kernels"
)

// tools are the host's programs that a VM consists of.
type tools struct {
	qemu, virtiofsd, busybox string
	gcc                      string // for an ordinary user
}

// findTools returns a *MissingError with everything that the host lacks for a release, so that one installation mends it.
func findTools(release string) (tools, error) {
	var t tools
	var missing MissingError
	lacks := func(file, pkg string) {
		missing.Files = append(missing.Files, file)
		if !slices.Contains(missing.Packages, pkg) {
			missing.Packages = append(missing.Packages, pkg)
		}
	}
	var err error
	if t.qemu, err = exec.LookPath("qemu-system-x86_64"); err != nil {
		lacks("qemu-system-x86_64", "qemu-system-x86")
	}
	if t.virtiofsd, err = exec.LookPath("/usr/lib/qemu/virtiofsd"); err != nil {
		lacks("/usr/lib/qemu/virtiofsd", "qemu-system-common")
	}
	if t.busybox, err = exec.LookPath("busybox"); err != nil || !isStatic(t.busybox) {
		lacks("a statically linked busybox", "busybox-static")
	}
	if t.gcc, err = exec.LookPath("gcc"); err != nil && os.Geteuid() != 0 {
		lacks("gcc", "gcc")
	}
	kernel := kernels.Find(release)
	for _, file := range []string{kernel.Image(), kernel.Modules() + "/modules.dep"} {
		switch f, err := os.Open(file); {
		case err == nil:
			f.Close()
		case os.IsNotExist(err):
			lacks(file, "linux-image-"+release)
		default:
			return t, errors.Errorf("micro-VM: the kernel is installed, but this user may not read it (%v); as root: chmod a+r %s", err, file)
		}
	}
	if missing.Files != nil {
		return t, &missing
	}
	return t, nil
}

// isStatic reports whether a program runs without an interpreter, as it must where there are no libraries yet.
func isStatic(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}
