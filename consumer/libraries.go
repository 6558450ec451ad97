// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"os/exec"
	"path/filepath"
	"strings"

	"gostap/internal/ldso"
)

// withLibraries returns the paths of a program and its libraries.
func withLibraries(program string) []string {
	list := []string{program}
	for _, l := range ldso.Loaded(program) {
		list = append(list, l.Path)
	}
	return list
}

// programOf returns the program that a command of -c begins with; "" if that is not clear.
func programOf(command string) string {
	words := strings.Fields(command)
	if len(words) == 0 {
		return ""
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return ""
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return ""
	}
	return path
}
