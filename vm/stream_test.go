// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestCopyUntil(t *testing.T) {
	const marker = "\x01abcab"
	tests := []struct {
		in, out  string
		complete bool
	}{
		{"", "", false},
		{marker, "", true},
		{"text" + marker + "late", "text", true},
		{"\x01abca\x01\x01abc" + marker, "\x01abca\x01\x01abc", true},
		{"cut off\x01abc", "cut off\x01abc", false},
		{strings.Repeat("x\x01ab", 50000) + marker, strings.Repeat("x\x01ab", 50000), true},
	}
	for _, test := range tests {
		for _, r := range []io.Reader{strings.NewReader(test.in), iotest.OneByteReader(strings.NewReader(test.in))} {
			var out bytes.Buffer
			complete, err := copyUntil(&out, r, []byte(marker))
			if err != nil || complete != test.complete || out.String() != test.out {
				t.Errorf("%.20q: %v, %v, %.20q", test.in, complete, err, out.String())
			}
		}
	}
}

// Data that can't be the marker's beginning are written at once.
func TestCopyUntilHoldsNothingBack(t *testing.T) {
	in, w := io.Pipe()
	r, out := io.Pipe()
	go copyUntil(out, in, []byte("\x01marker"))
	go w.Write([]byte("prompt> "))
	got := make([]byte, 8)
	if _, err := io.ReadFull(r, got); err != nil || string(got) != "prompt> " {
		t.Errorf("%q, %v", got, err)
	}
	w.Close()
}
