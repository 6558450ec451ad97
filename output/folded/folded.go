// SPDX-License-Identifier: GPL-2.0-or-later

// Package folded writes stacks in the format of FlameGraph's stackcollapse scripts: a line for each,
// with the frames separated by semicolons, the outermost first, a space, and the number of samples.
// Frames of the kernel end in _[k], those of a runtime in _[j], for flamegraph.pl's --color=java
// (https://github.com/brendangregg/FlameGraph).
package folded

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gostap/output/profile"
)

// Suffixes of frames' names; other kinds have none.
var marks = map[profile.Kind]string{profile.Kernel: "_[k]", profile.Runtime: "_[j]"}

// Write writes the profile's stacks. A semicolon in a name becomes a colon.
func Write(w io.Writer, p *profile.Profile) error {
	out := bufio.NewWriterSize(w, 64<<10)
	p.Each(func(stack []*profile.Node, value int64) {
		for i, n := range stack {
			if i > 0 {
				out.WriteByte(';')
			}
			out.WriteString(Name(n.Frame))
		}
		out.WriteByte(' ')
		out.WriteString(strconv.FormatInt(value, 10))
		out.WriteByte('\n')
	})
	return errors.WithStack(out.Flush())
}

// Name returns a frame's text in a line.
func Name(f profile.Frame) string { return strings.ReplaceAll(f.Name, ";", ":") + marks[f.Kind] }

// Read reads the output of Write, or of another tool. The names of its frames are those of Name, their
// kinds Other.
func Read(r io.Reader) (*profile.Profile, error) {
	p := &profile.Profile{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		space := strings.LastIndexByte(line, ' ')
		count, err := strconv.ParseInt(line[space+1:], 10, 64)
		if space <= 0 || err != nil || count < 0 {
			return nil, errors.Errorf("line %d is no stack: its functions parted by ;, a space, and a number", n)
		}
		var stack []profile.Frame
		for _, name := range strings.Split(line[:space], ";") {
			stack = append(stack, profile.Frame{Name: profile.Clean(name)})
		}
		p.Leaf(stack).Self += count
	}
	return p, errors.WithStack(lines.Err())
}
