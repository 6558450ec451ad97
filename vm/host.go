// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"debug/elf"
	"os"
	"os/exec"
	"slices"

	"github.com/pkg/errors"

	"gostap/internal/distro"
	"gostap/internal/kernels"
)

// tools are the paths of the programs on the host that a VM needs.
type tools struct {
	qemu, virtiofsd, busybox string
	gcc                      string // only needed by ordinary users
}

// findTools returns a *MissingError with everything that the host lacks for a release, so that one
// installation suffices.
func findTools(release string) (tools, error) {
	var t tools
	var missing MissingError
	var packages []string // by their common names
	lacks := func(file, pkg string) {
		missing.Files = append(missing.Files, file)
		packages = append(packages, pkg)
	}
	var err error
	if t.qemu, err = exec.LookPath("qemu-system-x86_64"); err != nil {
		lacks("qemu-system-x86_64", distro.Qemu)
	}
	if t.virtiofsd, err = exec.LookPath("/usr/lib/qemu/virtiofsd"); err != nil {
		lacks("/usr/lib/qemu/virtiofsd", distro.Virtiofsd)
	}
	if t.busybox, err = exec.LookPath("busybox"); err != nil || !isStatic(t.busybox) {
		lacks("a statically linked busybox", distro.Busybox)
	}
	if t.gcc, err = exec.LookPath("gcc"); err != nil && os.Geteuid() != 0 {
		lacks("gcc", distro.GCC)
	}
	if packages != nil {
		missing.Install = distro.Here().Install(packages...)
	}
	kernel := kernels.Find(release)
	for _, file := range []string{kernel.Image(), kernel.Modules() + "/modules.dep"} {
		switch f, err := os.Open(file); {
		case err == nil:
			f.Close()
		case os.IsNotExist(err):
			missing.lacksKernel(file, release)
		default:
			return t, errors.Errorf("micro-VM: the kernel is installed, but this user may not read it (%v); as root: chmod a+r %s", err, file)
		}
	}
	if missing.Files != nil {
		return t, &missing
	}
	return t, nil
}

// isStatic reports whether a program is statically linked, as it must be in the initramfs, which has no
// libraries.
func isStatic(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}
