// SPDX-License-Identifier: GPL-2.0-or-later

// Package tools carries gostap's tools inside the binary: scripts that answer a question each, under the names that
// users of bcc and bpftrace know. The comment that a script begins with is its help, and says which options and
// arguments it takes (describe.go); these are checked and become the script's globals and arguments (parse.go).
// `gostap tool` runs them, and so does gostap with the file and -G.
package tools

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.stp
var scripts embed.FS

// A Tool is a script with what its comment says of it.
type Tool struct {
	Name      string // the file's, without .stp
	Summary   string // a line
	Subject   string // what it is listed under
	Options   []Option
	Arguments []Argument
	Text      string // the rest of the comment: what is shown, and an example
	Script    string
}

// All returns the tools, by name.
func All() ([]*Tool, error) {
	files, err := fs.Glob(scripts, "*.stp")
	if err != nil {
		return nil, err
	}
	var list []*Tool
	for _, file := range files {
		tool, err := Find(strings.TrimSuffix(file, ".stp"))
		if err != nil {
			return nil, err
		}
		list = append(list, tool)
	}
	slices.SortFunc(list, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Find returns the tool of a name, an error that is fs.ErrNotExist if there is none.
func Find(name string) (*Tool, error) {
	script, err := scripts.ReadFile(name + ".stp")
	if err != nil {
		return nil, err
	}
	return describe(name, string(script))
}
