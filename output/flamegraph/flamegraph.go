// SPDX-License-Identifier: GPL-2.0-or-later

// Package flamegraph writes stacks as a page that needs nothing else: a flame graph drawn by d3-flame-graph.
package flamegraph

import (
	"bufio"
	"embed"
	"encoding/json"
	"html/template"
	"io"
	"math"

	"github.com/pkg/errors"

	"gostap/output/folded"
	"gostap/output/page"
	"gostap/output/profile"
)

//go:embed page.html
var files embed.FS

var pageTemplate = page.Parse(files, "page.html")

// A Node is d3-flame-graph's description of a frame and those that it calls.
type Node struct {
	Name     string  `json:"name"`
	Value    int64   `json:"value"` // with the children's
	Kind     string  `json:"kind,omitempty"`
	Module   string  `json:"module,omitempty"`
	Delta    *int64  `json:"delta,omitempty"` // value less what the baseline had, were it as large in all
	Children []*Node `json:"children,omitempty"`
}

// Describe returns the root of a profile's stacks.
func Describe(p *profile.Profile) *Node {
	root := describe(&p.Root)
	root.Name = "all"
	return root
}

func describe(n *profile.Node) *Node {
	d := &Node{Name: n.Name, Kind: n.Kind.String(), Module: n.Module, Value: n.Self}
	for _, child := range n.Children() {
		c := describe(child)
		d.Value += c.Value
		d.Children = append(d.Children, c)
	}
	return d
}

// compare gives d, which describes n, and all below it their deltas. base is the baseline's node of that stack, nil if it
// has none; its values count times scale.
func (d *Node) compare(n, base *profile.Node, scale float64) {
	delta := d.Value
	calls := map[string]*profile.Node{}
	if base != nil {
		delta -= int64(math.Round(float64(base.Total()) * scale))
		for _, child := range base.Children() {
			calls[child.Name] = child
		}
	}
	d.Delta = &delta
	for i, child := range n.Children() {
		d.Children[i].compare(child, calls[folded.Name(child.Frame)], scale)
	}
}

// Write writes the profile as an HTML page with that title. With a baseline, which folded.Read has read, the colours say
// which stacks have become more and which less, as shares of all; nil is for none.
func Write(w io.Writer, p, baseline *profile.Profile, title string) error {
	root := Describe(p)
	if baseline != nil {
		root.compare(&p.Root, &baseline.Root, float64(root.Value)/float64(max(baseline.Root.Total(), 1)))
	}
	data, err := json.Marshal(root) // escapes <, > and &
	if err != nil {
		return errors.WithStack(err)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err = pageTemplate.Execute(out, map[string]any{"Title": profile.Clean(title), "Data": template.JS(data)}); err != nil {
		return errors.WithStack(err)
	}
	return errors.WithStack(out.Flush())
}
