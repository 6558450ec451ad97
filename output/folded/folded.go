// SPDX-License-Identifier: GPL-2.0-or-later

// Package folded writes stacks as FlameGraph's stackcollapse scripts do: a line for each, its frames separated by semicolons,
// the outermost first, a space, and how often it has been met. What is the kernel's ends in _[k], a runtime's in _[j],
// as flamegraph.pl's --color=java takes it (https://github.com/brendangregg/FlameGraph).
package folded

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gostap/output/profile"
)

// The ends of frames' names; other kinds have none.
var marks = map[profile.Kind]string{profile.Kernel: "_[k]", profile.Runtime: "_[j]"}

// Write writes the profile's stacks. In names a semicolon becomes a colon.
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

// Name returns what stands for a frame in a line.
func Name(f profile.Frame) string { return strings.ReplaceAll(f.Name, ";", ":") + marks[f.Kind] }

// Read reads what Write, or another tool, has written. The names of its frames are as Name returns them, their kinds Other.
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
