// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"bytes"
	"strings"

	"github.com/pkg/errors"

	"gostap/internal/distro"
)

// A MissingError is something that has to be installed first.
type MissingError struct {
	What    string // "the headers of kernel 6.1.0-56-cloud-amd64"
	Path    string // where it was looked for
	Install string // the command that installs it; "" if none is known
}

func (e *MissingError) Error() string {
	verb := " is"
	if strings.HasPrefix(e.What, headersOf) {
		verb = " are"
	}
	text := e.What + verb + " missing (looked for " + e.Path + ")"
	if e.Install != "" {
		text += "; install with: " + e.Install
	}
	return text + "; " + distro.Doctor
}

// A CompileError is C that a compiler refuses: the script's embedded C, or a bug of gostap's.
type CompileError struct {
	What   string // the part of the C
	Output string // of the compiler; by #line, its positions are the script's
}

// compileError is the error of a tool that has printed output and ended with err. One that was killed for want of memory, or
// could open no file, prints nothing.
func compileError(what, tool string, output []byte, err error) error {
	if len(bytes.TrimSpace(output)) == 0 {
		return errors.Errorf("%s does not compile: %s ends with %v and prints nothing; it may want more memory or files (ulimit -v, ulimit -n)", what, tool, err)
	}
	return &CompileError{What: what, Output: string(output)}
}

func (e *CompileError) Error() string { return e.What + " does not compile:\n" + e.Output }

const headersOf = "the headers of kernel "

func missingHeaders(release, path string) error {
	return &MissingError{What: headersOf + release, Path: path, Install: distro.Here().Headers(release)}
}

// missingTool is the error for a program that is not in PATH.
func missingTool(tool string) error {
	return &MissingError{What: tool, Path: "in PATH", Install: distro.Here().Install(toolPackage(tool))}
}

// toolPackage is the common name of the package that a tool is in.
func toolPackage(tool string) string {
	if strings.HasSuffix(tool, "ld") {
		return distro.Binutils
	}
	return tool // make, or a compiler
}
