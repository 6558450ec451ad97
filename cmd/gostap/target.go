// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"debug/elf"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/distro"
	"gostap/internal/kernels"
	"gostap/translator/suggest"
	"gostap/vm"
)

// targetRelease is the kernel that the script is for, "" for the host runtime.
func (o *options) targetRelease() (string, error) {
	if o.runtime == "host" {
		return "", nil
	}
	release, err := o.namedRelease()
	if err != nil {
		return "", err
	}
	switch {
	case o.vm == vmDefault && release != "":
		o.vm = release
	case o.vm == vmDefault:
		releases := vm.Releases()
		if len(releases) == 0 {
			return "", errors.New("--vm: no kernel to run: there is none in /boot whose modules are in /lib/modules; " + distro.Doctor)
		}
		o.vm = releases[0]
	}
	running := runningRelease()
	switch {
	case o.vm != "" && release != "" && o.vm != release:
		return "", errors.Errorf("--vm=%s and -r %s name different kernels", o.vm, release)
	case o.vm != "":
		return o.vm, nil
	case release == "":
		return running, nil
	case o.runs() && release != running:
		return "", errors.Errorf("-r %s: that is not the running kernel, so the script can only be built for it (add -p4) or run in a VM (add --vm)", release)
	}
	return release, nil
}

// namedRelease is the kernel that -r or the environment names: as a release,
// or by its build tree.
func (o *options) namedRelease() (string, error) {
	name := o.release
	if name == "" && o.vm == "" {
		name = os.Getenv("SYSTEMTAP_RELEASE")
	}
	if !strings.HasPrefix(name, "/") {
		return name, nil
	}
	// Not include/config/kernel.release: in Debian's trees it does not have the release.
	text, err := os.ReadFile(filepath.Join(name, "include/generated/utsrelease.h"))
	if err != nil {
		return "", errors.Errorf("-r %s: not a kernel's build tree: %v", name, err)
	}
	_, release, _ := strings.Cut(string(text), `UTS_RELEASE "`)
	release, _, _ = strings.Cut(release, `"`)
	known := kernels.Find(release).Build()
	given, _ := filepath.EvalSymlinks(name)
	if expected, err := filepath.EvalSymlinks(known); err != nil || given != expected {
		return "", errors.Errorf("-r %s: the tree of kernel %s is looked for at %s, which has to lead there", name, release, known)
	}
	return release, nil
}

func runningRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// checkSymbols refuses a -d that names no file and no module. For modules there is nothing else to do:
// the symbols of the kernel and of every loaded module are known from
// /proc/kallsyms when a stack is printed.
func (o *options) checkSymbols(release string) error {
	for _, name := range o.run.symbols {
		if strings.Contains(name, "/") {
			f, err := elf.Open(name)
			if o.stap && errors.Is(err, fs.ErrNotExist) { // stap ignores it
				continue
			}
			if err != nil {
				return errors.Errorf("-d %s: neither a program nor a module: %v", name, err)
			}
			f.Close()
			continue
		}
		if name == "kernel" {
			continue
		}
		names, err := kernelModules(release)
		if err != nil {
			return errors.Wrapf(err, "-d %s: looking for the module", name)
		}
		if !names[moduleName(name)] && !o.stap { // stap ignores it
			var all []string
			for n := range names {
				all = append(all, n)
			}
			if hint := suggest.Hint(name, all); hint != "" {
				return errors.Errorf("-d %s: kernel %s has no module of that name (%s)", name, release, hint)
			}
			return errors.Errorf("-d %s: kernel %s has no module of that name, and the path of a program has a / in it", name, release)
		}
	}
	return nil
}

// moduleName is a module's name in the kernel's spelling.
func moduleName(name string) string { return strings.ReplaceAll(name, "-", "_") }

// kernelModules returns the names of the modules of a release: those that are
// installed and, if it is the running one, those that are loaded.
func kernelModules(release string) (map[string]bool, error) {
	names := make(map[string]bool)
	dir := kernels.Find(release).Modules()
	for _, list := range []string{"modules.dep", "modules.builtin"} {
		text, err := os.ReadFile(filepath.Join(dir, list))
		if err != nil {
			continue // without modules, as in a kernel that has none
		}
		for line := range strings.Lines(string(text)) {
			path, _, _ := strings.Cut(strings.TrimSpace(line), ":")
			name, _, _ := strings.Cut(filepath.Base(path), ".ko")
			names[moduleName(name)] = true
		}
	}
	if release != runningRelease() {
		return names, nil
	}
	loaded, err := os.ReadDir("/sys/module")
	for _, entry := range loaded {
		names[entry.Name()] = true
	}
	return names, err
}
