// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// moduleTree has the results of depmod for /lib/modules/RELEASE.
type moduleTree struct {
	dir     string
	builtin map[string]bool     // module name
	path    map[string]string   // module name to file, relative to dir
	needs   map[string][]string // module name to the names of the modules that it needs
}

// readModuleTree reads modules.dep and modules.builtin in dir.
func readModuleTree(dir string) (*moduleTree, error) {
	t := &moduleTree{dir: dir, builtin: map[string]bool{}, path: map[string]string{}, needs: map[string][]string{}}
	err := eachLine(filepath.Join(dir, "modules.builtin"), func(line string) {
		t.builtin[moduleName(line)] = true
	})
	if err != nil {
		return nil, err
	}
	err = eachLine(filepath.Join(dir, "modules.dep"), func(line string) {
		path, needs, _ := strings.Cut(line, ":")
		name := moduleName(path)
		t.path[name] = path
		for _, need := range strings.Fields(needs) {
			t.needs[name] = append(t.needs[name], moduleName(need))
		}
	})
	return t, err
}

// loadOrder returns the files of the named modules and their dependencies, each after its dependencies.
// Modules that are built into the kernel are left out.
func (t *moduleTree) loadOrder(names ...string) ([]string, error) {
	var order []string
	var visit func(name string) error
	visit = func(name string) error {
		path, ok := t.path[name]
		switch {
		case t.builtin[name], ok && slices.Contains(order, path):
			return nil
		case !ok:
			return errors.Errorf("no module %s in %s, nor is it built in", name, t.dir)
		}
		for _, need := range t.needs[name] {
			if err := visit(need); err != nil {
				return err
			}
		}
		order = append(order, path)
		return nil
	}
	for _, name := range names {
		if err := visit(name); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// moduleName returns the module name, as lsmod shows it, of a path: virtio_fs for
// kernel/fs/fuse/virtio-fs.ko.xz.
func moduleName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return strings.ReplaceAll(name, "-", "_")
}

func eachLine(path string, do func(string)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		do(scanner.Text())
	}
	return errors.Wrap(scanner.Err(), path)
}
