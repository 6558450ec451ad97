// SPDX-License-Identifier: GPL-2.0-or-later

package report

import "bytes"

// A Text keeps the beginning and the end of a session's output.
type Text struct {
	head, tail []byte
	omitted    int // number of bytes between them
}

// textSize is the maximal number of bytes of the beginning, and of the end.
const textSize = 2 << 20

// Write never fails.
func (t *Text) Write(p []byte) (int, error) {
	n := min(len(p), textSize-len(t.head))
	t.head = append(t.head, p[:n]...)
	t.tail = append(t.tail, p[n:]...)
	if more := len(t.tail) - textSize; more > textSize {
		t.tail = append(t.tail[:0], t.tail[more:]...)
		t.omitted += more
	}
	return len(p), nil
}

// parts returns the beginning and the end, without the partial lines at a gap between them, and the
// number of bytes in the gap. Output of blank lines alone, as what prints stacks leaves it, is none.
func (t *Text) parts() (head, tail []byte, omitted int) {
	head, tail, omitted = t.head, t.tail, t.omitted
	if len(tail) == 0 && len(bytes.TrimSpace(head)) == 0 {
		return nil, nil, 0
	}
	if more := len(tail) - textSize; more > 0 {
		tail, omitted = tail[more:], omitted+more
	}
	if omitted > 0 {
		_, whole, _ := bytes.Cut(tail, []byte("\n"))
		omitted += len(tail) - len(whole)
		tail = whole
	}
	return head, tail, omitted
}
