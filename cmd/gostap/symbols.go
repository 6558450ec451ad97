// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"debug/elf"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gostap/internal/kernels"
	"gostap/translator/suggest"
)

// checkSymbols refuses a -d that names nothing. There is nothing else to do for it:
// the symbols of the kernel and of every loaded module are known from
// /proc/kallsyms when a stack is printed, so nothing has to be carried along.
func (o *options) checkSymbols(release string) error {
	for _, name := range o.symbols {
		if strings.Contains(name, "/") {
			f, err := elf.Open(name)
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
		if !names[moduleName(name)] {
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

// moduleName is a module's name as the kernel spells it.
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
