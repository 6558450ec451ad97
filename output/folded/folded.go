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

var marks = map[profile.Kind]string{profile.Kernel: "_[k]", profile.Runtime: "_[j]"}

// Write writes the profile's stacks. In names a semicolon becomes a colon.
func Write(w io.Writer, p *profile.Profile) error {
	out := bufio.NewWriterSize(w, 64<<10)
	p.Each(func(stack []*profile.Node, value int64) {
		for i, n := range stack {
			if i > 0 {
				out.WriteByte(';')
			}
			out.WriteString(strings.ReplaceAll(n.Name, ";", ":"))
			out.WriteString(marks[n.Kind])
		}
		out.WriteByte(' ')
		out.WriteString(strconv.FormatInt(value, 10))
		out.WriteByte('\n')
	})
	return errors.WithStack(out.Flush())
}
