// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// A MissingError is something that has to be installed first.
type MissingError struct {
	What    string // "the headers of kernel 6.1.0-56-cloud-amd64"
	Path    string // where it was looked for
	Install string // the command that installs it; "" if none is known
}

func (e *MissingError) Error() string {
	text := e.What + " missing (looked for " + e.Path + ")"
	if e.Install != "" {
		text += "; install with: " + e.Install
	}
	return text
}

// A CompileError is C that a compiler refuses: the script's embedded C, or a bug of gostap's.
type CompileError struct {
	What   string // whose C it is
	Output string // the compiler's; #line makes its places the script's
}

func (e *CompileError) Error() string { return e.What + " does not compile:\n" + e.Output }

// packages says what the things that can be missing are called, by the ID of /etc/os-release.
var packages = map[string]struct{ install, headers, gcc, make, binutils string }{
	"debian": {"apt-get install", "linux-headers-%s", "%s", "make", "binutils"},
	"fedora": {"dnf install", "kernel-devel-%s", "gcc", "make", "binutils"},
	"suse":   {"zypper install", "kernel-default-devel", "gcc", "make", "binutils"},
	"arch":   {"pacman -S", "linux-headers", "gcc", "make", "binutils"},
	"alpine": {"apk add", "linux-lts-dev", "gcc", "make", "binutils"},
}

// distribution returns the first of ID and ID_LIKE that packages knows.
func distribution() string {
	f, err := os.Open("/etc/os-release")
	if err != nil {
		return ""
	}
	defer f.Close()
	var ids []string
	for s := bufio.NewScanner(f); s.Scan(); {
		name, value, _ := strings.Cut(s.Text(), "=")
		if name == "ID" || name == "ID_LIKE" {
			ids = append(ids, strings.Fields(strings.Trim(value, `"`))...)
		}
	}
	for _, id := range ids {
		if _, ok := packages[id]; ok {
			return id
		}
	}
	return ""
}

func missingHeaders(release, path string) error {
	p := packages[distribution()]
	e := &MissingError{What: "the headers of kernel " + release, Path: path}
	if p.install != "" {
		name := p.headers
		if strings.Contains(name, "%s") {
			name = fmt.Sprintf(name, release)
		}
		e.Install = p.install + " " + name
	}
	return e
}

// missingTool is about a program that is not in PATH.
func missingTool(tool string) error {
	p := packages[distribution()]
	e := &MissingError{What: tool, Path: "in PATH"}
	name := tool
	switch {
	case strings.HasPrefix(tool, "gcc") && p.gcc == "%s":
	case strings.HasPrefix(tool, "gcc"):
		name = p.gcc
	case tool == "ld":
		name = p.binutils
	}
	if p.install != "" {
		e.Install = p.install + " " + name
	}
	return e
}
