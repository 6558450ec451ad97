// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"

	runtimec "gostap/runtime-c"

	"gostap/internal/lazyregexp"
)

// A tree is a directory for kbuild to make a module in.
type tree struct {
	dir    string
	name   string   // the module's
	shared []string // objects of the runtime
	own    []string // objects of the script

	options []string // NAME=VALUE for make
}

// newTree fills dir with the runtime's source and the request's.
func newTree(t *target, req *Request, dir, name string, script, embedded []byte) (*tree, error) {
	if err := unpack(dir, "include", "core", "kernel"); err != nil {
		return nil, err
	}
	compat, err := runtimec.Source.ReadFile("kernel/compat.h")
	if err != nil {
		return nil, errors.WithStack(err)
	}
	kernel, err := kernelUnit()
	if err != nil {
		return nil, err
	}
	tr := &tree{dir: dir, name: name, shared: []string{"gs_unit_kernel.o", "gs_unit_library.o"}, own: []string{"gs_unit_script.o"}, options: req.Make}
	files := map[string][]byte{"gs_unit_kernel.c": kernel, "gs_unit_library.c": req.Library.text(), "gs_unit_script.c": script}
	if embedded != nil {
		files["gs_unit_embedded.c"] = embedded
		tr.own = append(tr.own, "gs_unit_embedded.o")
	}
	core, err := fs.Glob(runtimec.Source, "core/*.c")
	if err != nil {
		return nil, errors.WithStack(err)
	}
	for _, file := range core {
		tr.shared = append(tr.shared, strings.TrimSuffix(file, ".c")+".o")
	}
	// Nothing of ours may be traced: no -pg.
	files["Kbuild"] = fmt.Appendf(nil, "obj-m := %s.o\n%s-y := %s\nccflags-y := %s\nccflags-remove-y := $(CC_FLAGS_FTRACE)\n",
		name, name, strings.Join(append(slices.Clone(tr.shared), tr.own...), " "),
		strings.Join(append(t.compatDefines(compat), "-I"+dir+"/include", "-I"+dir+"/kernel", "-fstack-usage", fmt.Sprintf("-DMAXSTRINGLEN=%d", req.MaxStringLen)), " "))
	for file, data := range files {
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o644); err != nil {
			return nil, errors.WithStack(err)
		}
	}
	return tr, nil
}

var familyName = lazyregexp.MustCompile(`(?m)^static const struct gs_family (gs_family_\w+)`)

// kernelUnit is the C file that includes all of kernel/, so that the kernel's headers, which take longest, are read once.
// The families are listed behind it: to add one is to add a file.
func kernelUnit() ([]byte, error) {
	var unit, families strings.Builder
	err := fs.WalkDir(runtimec.Source, "kernel", func(file string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".c" {
			return err
		}
		fmt.Fprintf(&unit, "#include %q\n", file)
		data, err := runtimec.Source.ReadFile(file)
		for _, m := range familyName().FindAllSubmatch(data, -1) {
			fmt.Fprintf(&families, "\t&%s,\n", m[1])
		}
		return err
	})
	fmt.Fprintf(&unit, "const struct gs_family *const gs_families[] = {\n%s\tNULL\n};\n", families.String())
	return []byte(unit.String()), errors.WithStack(err)
}
