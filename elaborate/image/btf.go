// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/pkg/errors"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/symbols"
	"gostap/internal/distro"
)

// readTypes returns the kernel's types: from its BTF or, if it has none, from BTF
// that pahole makes of its debuginfo, once.
func (t *Target) readTypes() (*btf.Spec, error) {
	k, err := t.kernel()
	if err != nil {
		return nil, err
	}
	if path := k.BTFPath(); path != "" {
		t.used.btf = true
		return btf.Open(path)
	}
	path, err := t.madeTypes(k.BuildID, t.debuginfo, "")
	if err != nil {
		return nil, err
	}
	t.used.debuginfo = true
	return btf.Open(path)
}

// readModuleTypes returns a module's types and the kernel's. A module of a kernel without BTF has none either.
func (t *Target) readModuleTypes(m *Module) (*btf.Spec, error) {
	base, err := t.types()
	if err != nil {
		return nil, err
	}
	if path := m.File.BTFPath(); path != "" {
		return base.OpenSplit(path)
	}
	k, err := t.kernel()
	if err != nil || k.BTFPath() != "" {
		return base, err
	}
	id, err := m.File.BuildID()
	if err != nil {
		return base, nil
	}
	path, err := t.madeTypes(id, m.debuginfo, madePath(k.BuildID))
	if err != nil {
		return base, nil // the module may have no debuginfo
	}
	return base.OpenSplit(path)
}

// madePath is the path of BTF that pahole has made.
func madePath(buildID string) string {
	return filepath.Join(filepath.Dir(dwarf.IndexPath(buildID)), "btf")
}

// madeTypes returns the file with BTF that pahole has made of debuginfo; base is the kernel's, for a module's.
func (t *Target) madeTypes(buildID string, d *Debuginfo, base string) (string, error) {
	path := madePath(buildID)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	info, err := d.any()
	if errors.Is(err, dwarf.ErrNone) {
		return "", &symbols.MissingError{
			What:    "kernel " + t.Release + " has no BTF (CONFIG_DEBUG_INFO_BTF), so its types are known only from debuginfo, which is not installed",
			Install: distro.Here().KernelDebuginfo(t.Release, distro.Pahole),
		}
	}
	if err != nil {
		return "", err
	}
	pahole, err := exec.LookPath("pahole")
	if err != nil {
		return "", &symbols.MissingError{
			What:    "kernel " + t.Release + " has no BTF (CONFIG_DEBUG_INFO_BTF); pahole, which makes it of debuginfo, is missing",
			Install: distro.Here().Install(distro.Pahole),
		}
	}
	tmp := fmt.Sprintf("%s.%d", path, os.Getpid())
	defer os.Remove(tmp)
	args := []string{"-J", "--btf_encode_detached=" + tmp}
	if base != "" {
		args = append(args, "--btf_base="+base)
	}
	if out, err := exec.Command(pahole, append(args, info.Path())...).CombinedOutput(); err != nil {
		return "", errors.Errorf("pahole makes no BTF of %s: %v\n%s", info.Path(), err, out)
	}
	return path, errors.WithStack(os.Rename(tmp, path))
}
