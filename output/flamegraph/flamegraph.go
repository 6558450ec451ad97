// SPDX-License-Identifier: GPL-2.0-or-later

// Package flamegraph writes stacks as a self-contained HTML page: a flame graph drawn by
// d3-flame-graph.
package flamegraph

import (
	"bufio"
	"embed"
	"encoding/json"
	"html/template"
	"io"
	"math"
	"sync"

	"github.com/pkg/errors"

	"gostap/output/folded"
	"gostap/output/page"
	"gostap/output/profile"
)

//go:embed page.html
var files embed.FS

var pageTemplate = sync.OnceValue(func() *template.Template { return page.Parse(files, "page.html") })

// Stacks are the stacks of a profile in the compact form that unfold of page/flame.js reads: a page may
// have many.
type Stacks struct {
	Frames []frame `json:"frames"`
	// Nodes are the stacks, callers before their callees, the first of which is the root: the index of
	// its frame, its total count, the number of samples in it alone and, in a comparison, the
	// difference between its total and that of the baseline, scaled to the same sum.
	Nodes    []int64 `json:"nodes"`
	Compared bool    `json:"compared,omitempty"`

	numbers map[profile.Frame]int64
	scale   float64
	totals  map[*profile.Node]int64 // of the baseline's nodes
}

// A frame is a function.
type frame struct {
	Name   string `json:"name"`
	Kind   string `json:"kind,omitempty"`
	Module string `json:"module,omitempty"`
}

// Describe returns a profile's stacks, compared with those of the baseline unless that is nil.
func Describe(p, baseline *profile.Profile) *Stacks {
	s := &Stacks{numbers: map[profile.Frame]int64{}, totals: map[*profile.Node]int64{}}
	if baseline == nil {
		s.add(&p.Root, nil)
	} else {
		s.Compared = true
		s.scale = float64(p.Root.Total()) / float64(max(s.sum(&baseline.Root), 1))
		s.add(&p.Root, &baseline.Root)
	}
	s.Frames[0].Name = "all"
	return s
}

// sum fills in the totals of a baseline's node and those below it.
func (s *Stacks) sum(n *profile.Node) int64 {
	total := n.Self
	for _, child := range n.Children() {
		total += s.sum(child)
	}
	s.totals[n] = total
	return total
}

// add adds a node and all below it, and returns its total. base is the baseline's node of that stack,
// nil if it has none.
func (s *Stacks) add(n, base *profile.Node) (total int64) {
	number, ok := s.numbers[n.Frame]
	if !ok {
		number = int64(len(s.Frames))
		s.numbers[n.Frame] = number
		s.Frames = append(s.Frames, frame{n.Name, n.Kind.String(), n.Module})
	}
	children := n.Children()
	at := len(s.Nodes)
	s.Nodes = append(s.Nodes, number, 0, int64(len(children)))
	if s.Compared {
		s.Nodes = append(s.Nodes, 0)
	}
	calls := map[string]*profile.Node{}
	if base != nil {
		for _, child := range base.Children() {
			calls[child.Name] = child
		}
	}
	total = n.Self
	for _, child := range children {
		total += s.add(child, calls[folded.Name(child.Frame)])
	}
	s.Nodes[at+1] = total
	if s.Compared {
		s.Nodes[at+3] = total - int64(math.Round(float64(s.totals[base])*s.scale))
	}
	return total
}

// Write writes the profile as an HTML page with a title. With a baseline, read by folded.Read, the
// colours show which stacks have increased and decreased, as shares of the total; nil: no baseline.
func Write(w io.Writer, p, baseline *profile.Profile, title string) error {
	data, err := json.Marshal(Describe(p, baseline)) // escapes <, > and &
	if err != nil {
		return errors.WithStack(err)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err = pageTemplate().Execute(out, map[string]any{"Title": profile.Clean(title), "Data": template.JS(data)}); err != nil {
		return errors.WithStack(err)
	}
	return errors.WithStack(out.Flush())
}
