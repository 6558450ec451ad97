// SPDX-License-Identifier: GPL-2.0-or-later

// Package tools embeds gostap's tools: scripts for one purpose each, under the names that users of bcc
// and bpftrace know. The comment at the beginning of a script is its help, and describes its options
// and arguments (describe.go); these are checked and become the script's globals and arguments
// (parse.go). `gostap tool` runs them; gostap with the file and -G does, too.
package tools

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.stp
var scripts embed.FS

// A Tool is a script with the description in its comment.
type Tool struct {
	Name      string // the file's name without .stp
	Summary   string // one line
	Subject   string // the heading under which it is listed
	Options   []Option
	Arguments []Argument
	Text      string // the rest of the comment: the output, and an example
	Script    string
	command   string // what runs it, in messages; "" for gostap tool
}

// Globals returns the names of the globals that options and arguments set.
func (t *Tool) Globals() []string {
	var names []string
	for _, o := range t.Options {
		names = append(names, o.global())
	}
	for _, a := range t.Arguments {
		if !a.Type.script() {
			names = append(names, strings.ToLower(a.Name))
		}
	}
	return names
}

// All returns the tools, sorted by name.
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

// Find returns the tool of a name. The error is fs.ErrNotExist, wrapped, if there is none.
func Find(name string) (*Tool, error) {
	script, err := scripts.ReadFile(name + ".stp")
	if err != nil {
		return nil, err
	}
	return describe(name, string(script))
}
