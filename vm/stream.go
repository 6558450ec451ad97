// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"bytes"
	"io"
	"sync"
)

// inTurn serializes the writes of two streams to one writer.
type inTurn struct {
	mu sync.Mutex
	io.Writer
}

func (w *inTurn) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Writer.Write(p)
}

// copyUntil copies src to dst up to a marker, and reports whether the marker came before end-of-file.
// All data are written at once, except for bytes at the end that could be the beginning of the marker.
func copyUntil(dst io.Writer, src io.Reader, marker []byte) (bool, error) {
	buf := make([]byte, 64<<10)
	held := 0
	for {
		n, err := src.Read(buf[held:])
		data := buf[:held+n]
		end := bytes.Index(data, marker)
		complete := end >= 0
		if !complete {
			end = len(data)
			if err == nil {
				end -= overlap(data, marker)
			}
		}
		if end > 0 {
			if _, err := dst.Write(data[:end]); err != nil {
				return false, err
			}
		}
		if complete || err == io.EOF {
			return complete, nil
		}
		if err != nil {
			return false, err
		}
		held = copy(buf, data[end:])
	}
}

// overlap returns the length of the longest suffix of data that is a proper prefix of marker.
func overlap(data, marker []byte) int {
	for n := min(len(data), len(marker)-1); n > 0; n-- {
		if bytes.HasSuffix(data, marker[:n]) {
			return n
		}
	}
	return 0
}
