// SPDX-License-Identifier: GPL-2.0-or-later

// Package report writes the data of a session as a self-contained HTML page: tables, histograms, heat
// maps, a flame graph, and text.
package report

import (
	"bufio"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pkg/errors"

	"gostap/live"
	"gostap/output/flamegraph"
	"gostap/output/page"
	"gostap/output/profile"
)

//go:embed page.html report.js heatmap.js
var files embed.FS

var pageTemplate = sync.OnceValue(func() *template.Template { return page.Parse(files, "page.html") })

// A Report has the data of a session.
type Report struct {
	Title    string
	Release  string         // of the kernel; "" on the host runtime
	Snapshot *live.Snapshot // the globals' final values; nil if they are not known
	Prints   []Print        // the printed histograms
	Stacks   *profile.Profile
	Text     Text
	Clock    func(ns uint64) time.Time // converts a time of CLOCK_MONOTONIC
}

// shown is the page's data.
type shown struct {
	*live.Snapshot
	Series []*series          `json:"series"`
	Stacks *flamegraph.Stacks `json:"stacks,omitempty"` // nil: there are none
}

// chunk is the number of bytes of text in an element: browsers lay out only visible elements.
const chunk = 32 << 10

// Write writes the page.
func (r *Report) Write(w io.Writer) error {
	data := shown{Snapshot: r.Snapshot, Series: []*series{}}
	for i := range r.Prints {
		data.Series = append(data.Series, r.Prints[i].series(func(ns uint64) int64 { return r.Clock(ns).UnixMilli() })...)
	}
	if r.Stacks != nil && r.Stacks.Root.Total() > 0 {
		data.Stacks = flamegraph.Describe(r.Stacks, nil)
	}
	text, err := json.Marshal(data) // escapes <, > and &
	if err != nil {
		return errors.WithStack(err)
	}
	head, tail, omitted := r.Text.parts()
	out := bufio.NewWriterSize(w, 64<<10)
	err = pageTemplate().Execute(out, map[string]any{
		"Title": profile.Clean(r.Title), "About": r.about(), "Data": template.JS(text), "Stacks": data.Stacks != nil,
		"Head": chunks(head), "Tail": chunks(tail), "Omitted": omitted,
	})
	if err != nil {
		return errors.WithStack(err)
	}
	return errors.WithStack(out.Flush())
}

// about describes the session in a sentence.
func (r *Report) about() string {
	s := r.Snapshot
	if s == nil {
		return "How the session ended is not known."
	}
	where := "as an ordinary process"
	if r.Release != "" {
		where = "on Linux " + r.Release
	}
	return profile.Clean(fmt.Sprintf("Run %s from %s for %s: %d records, %d lost, %d errors, %d hits skipped.", where,
		s.State.Started.Format("2 January 2006, 15:04:05 MST"), s.Time.Sub(s.State.Started).Round(10*time.Millisecond),
		s.State.Records, s.State.Lost, s.State.Errors, s.State.Skipped))
}

// chunks splits text into pieces at line ends, and cleans it for a page.
func chunks(text []byte) (list []string) {
	for len(text) > 0 {
		end := min(len(text), chunk)
		for end < len(text) && text[end-1] != '\n' && end < 2*chunk {
			end++
		}
		for end < len(text) && end > chunk && !utf8.RuneStart(text[end]) {
			end--
		}
		list = append(list, profile.CleanText(string(text[:end])))
		text = text[end:]
	}
	return list
}
