// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/pkg/errors"
)

// Merge writes to w the content of the files of a session with -b, in the order of the records. With headers,
// each chunk has its processor, number and length before it, as stap-merge -v prints them.
func Merge(w io.Writer, names []string, headers bool) error {
	var inputs []*bulkInput
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		in := &bulkInput{name: name, r: bufio.NewReaderSize(file, flushAt)}
		if err := in.next(); err != nil {
			return err
		}
		inputs = append(inputs, in)
	}
	out := bufio.NewWriterSize(w, flushAt)
	for {
		var first *bulkInput
		for _, in := range inputs {
			if !in.ended && (first == nil || in.chunk.Sequence < first.chunk.Sequence) {
				first = in
			}
		}
		if first == nil {
			return errors.WithStack(out.Flush())
		}
		if headers {
			fmt.Fprintf(out, "[%d,%d,%d]\n", first.chunk.CPU, first.chunk.Sequence, first.chunk.Length)
		}
		if _, err := io.CopyN(out, first.r, int64(first.chunk.Length)); err != nil {
			return errors.Wrapf(err, "%s: a piece is not whole", first.name)
		}
		if err := first.next(); err != nil {
			return err
		}
	}
}

// A bulkInput is one of the files, at the text of a chunk.
type bulkInput struct {
	name  string
	r     *bufio.Reader
	chunk bulkHeader
	ended bool
}

// next reads the header of the next chunk.
func (in *bulkInput) next() error {
	before := in.chunk.Sequence
	err := binary.Read(in.r, binary.LittleEndian, &in.chunk)
	switch {
	case err == io.EOF:
		in.ended = true
		return nil
	case err != nil:
		return errors.Wrapf(err, "%s: a header is not whole", in.name)
	case in.chunk.Magic != bulkMagic || in.chunk.Length > 1<<40 || in.chunk.Sequence <= before:
		return errors.Errorf("%s: this is no file of a session of -b", in.name)
	}
	return nil
}
