// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/pkg/errors"
)

// answer writes a list to standard output: as text does it, or as JSON, an
// object a line.
func answer[T any](list []T, format string, text func(io.Writer, []T)) error {
	out := bufio.NewWriter(os.Stdout)
	if format != "json" {
		text(out, list)
		return out.Flush()
	}
	for _, x := range list {
		line, err := json.Marshal(x)
		if err != nil {
			return errors.WithStack(err)
		}
		fmt.Fprintf(out, "%s\n", line)
	}
	return out.Flush()
}

// printEach writes things as they spell themselves, a line for each.
func printEach[T fmt.Stringer](w io.Writer, list []T) {
	for _, x := range list {
		fmt.Fprintln(w, x)
	}
}
