// SPDX-License-Identifier: GPL-2.0-or-later

package fuzz

import (
	"path/filepath"
	"sync"
	"testing"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/elaborate/symbols"
	"gostap/vm"
)

// A world is the target of scripts: a kernel's symbols and types, or the host runtime, which has no
// release and none of them.
type world struct {
	release     string
	target      *image.Target // for completing
	kernel      *symbols.Kernel
	types       *btf.Spec
	structs     []btf.ID
	tracepoints []string
	modules     []string
	objects     []string
	info        *dwarf.Info // nil without debuginfo
	files       []string    // source files, by the debuginfo

	fresh map[bool]*image.Target // for pass 2, by guru mode
	used  int
}

// renewal is the number of scripts that share a target: each script maps a hundred files permanently,
// of which a process may have 65,000. A fuzzer runs a hundred scripts per second, for hours.
const renewal = 2000

// targetFor returns the target for pass 2.
func (w *world) targetFor(guru bool) *image.Target {
	if w.used++; w.used%renewal == 1 {
		w.fresh = map[bool]*image.Target{}
	}
	if w.fresh[guru] == nil {
		w.fresh[guru] = image.NewTarget(w.release, guru)
	}
	return w.fresh[guru]
}

// worlds are the host runtime and all installed kernels.
var worlds = sync.OnceValues(func() ([]*world, error) {
	list := []*world{{target: image.NewTarget("", true)}}
	for _, release := range vm.Releases() {
		w, err := open(release)
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, nil
})

// open reads the names in a kernel.
func open(release string) (*world, error) {
	w := &world{release: release, target: image.NewTarget(release, true)}
	var err error
	if w.kernel, err = w.target.Kernel(); err != nil {
		return nil, err
	}
	if w.types, err = btf.Open(w.kernel.BTFPath()); err != nil {
		return nil, err
	}
	for id := btf.ID(1); w.types.Kind(id) != btf.Unknown; id++ {
		if w.types.Kind(id) == btf.Struct && w.types.Name(id) != "" {
			w.structs = append(w.structs, id)
		}
	}
	points, err := w.kernel.Tracepoints()
	if err != nil {
		return nil, err
	}
	for i := range points {
		w.tracepoints = append(w.tracepoints, points[i].String())
	}
	tree, err := w.kernel.Modules()
	if err != nil {
		return nil, err
	}
	w.modules = tree.Glob("*")
	w.objects = w.kernel.ObjectNames("")
	if info, err := w.target.Debuginfo().Any(); err == nil {
		w.info, w.files = info, info.Files()
	}
	return w, nil
}

// allWorlds returns all worlds, and fails if there is no kernel.
func allWorlds(t testing.TB) []*world {
	t.Helper()
	list, err := worlds()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 2 {
		t.Fatal("no kernel is installed: tests/setup test")
	}
	return list
}

// root is the repository's folder.
func root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
