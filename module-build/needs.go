// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"os/exec"
	"path/filepath"

	"github.com/pkg/errors"
)

// A Tool is a program that modules are built with.
type Tool struct {
	Name    string
	Path    string // "" if it is missing
	Package string // the common name of the package that it is in, for distro.Distribution.Install
}

// Needs are what modules for a kernel are built with.
type Needs struct {
	Build   string // the folder of the headers
	Missing string // what the headers lack, a path; "" if they are complete
	Tools   []Tool // without headers, which determine the compiler, any
}

// FindNeeds finds the headers and tools for building modules for a kernel release.
func FindNeeds(release string) Needs {
	t, err := findTarget(release)
	var missing *MissingError
	if errors.As(err, &missing) {
		return Needs{Build: filepath.Dir(missing.Path), Missing: missing.Path, Tools: findTools(exec.LookPath, "make", "gcc", "ld")}
	}
	if err != nil {
		return Needs{Missing: err.Error()}
	}
	n := Needs{Build: t.build, Tools: findTools(t.LookPath, t.tools()...)}
	if t.configured("CONFIG_OBJTOOL") && !t.hasObjtool() {
		n.Missing = filepath.Join(t.build, objtool)
	}
	return n
}

func findTools(look func(name string) (string, error), names ...string) []Tool {
	var list []Tool
	for _, name := range names {
		path, _ := look(name)
		list = append(list, Tool{Name: name, Path: path, Package: toolPackage(name)})
	}
	return list
}
