// SPDX-License-Identifier: GPL-2.0-or-later

// Package flamegraph writes stacks as a page that needs nothing else: a flame graph drawn by d3-flame-graph (js/README).
package flamegraph

import (
	"bufio"
	"embed"
	"encoding/json"
	"html/template"
	"io"

	"github.com/pkg/errors"

	"gostap/output/profile"
)

//go:embed page.html js
var files embed.FS

var page = template.Must(template.ParseFS(files, "page.html"))

// A node is d3-flame-graph's description of a frame and those that it calls.
type node struct {
	Name     string  `json:"name"`
	Value    int64   `json:"value"` // with the children's
	Kind     string  `json:"kind,omitempty"`
	Module   string  `json:"module,omitempty"`
	Children []*node `json:"children,omitempty"`
}

func describe(n *profile.Node) *node {
	d := &node{Name: n.Name, Kind: n.Kind.String(), Module: n.Module, Value: n.Self}
	for _, child := range n.Children() {
		c := describe(child)
		d.Value += c.Value
		d.Children = append(d.Children, c)
	}
	return d
}

// Write writes the profile as an HTML page with that title.
func Write(w io.Writer, p *profile.Profile, title string) error {
	root := describe(&p.Root)
	root.Name = "all"
	data, err := json.Marshal(root) // escapes <, > and &
	if err != nil {
		return errors.WithStack(err)
	}
	d3, err := files.ReadFile("js/d3.min.js")
	if err != nil {
		return errors.WithStack(err)
	}
	graph, err := files.ReadFile("js/d3-flamegraph.umd.min.js")
	if err != nil {
		return errors.WithStack(err)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	err = page.Execute(out, map[string]any{
		"Title": profile.Clean(title), "Total": root.Value, "Data": template.JS(data), "D3": template.JS(d3), "Graph": template.JS(graph),
	})
	if err != nil {
		return errors.WithStack(err)
	}
	return errors.WithStack(out.Flush())
}
