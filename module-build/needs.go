// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
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
	Tools   []Tool // known if the headers are installed, as they determine the compiler
}

// FindNeeds finds the headers and tools for building modules for a kernel release.
func FindNeeds(release string) Needs {
	t, err := findTarget(release)
	var missing *MissingError
	if errors.As(err, &missing) {
		return Needs{Build: filepath.Dir(missing.Path), Missing: missing.Path}
	}
	if err != nil {
		return Needs{Missing: err.Error()}
	}
	n := Needs{Build: t.build}
	if t.configured("CONFIG_OBJTOOL") && !t.hasObjtool() {
		n.Missing = filepath.Join(t.build, objtool)
	}
	for _, name := range t.tools() {
		path, _ := t.LookPath(name)
		n.Tools = append(n.Tools, Tool{Name: name, Path: path, Package: toolPackage(name)})
	}
	return n
}
