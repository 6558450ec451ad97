// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBulk: the output of processors goes to their files, and is merged in order.
func TestBulk(t *testing.T) {
	dir := t.TempDir()
	for _, limit := range []int64{0, 200} {
		b := NewBulk(func(cpu int) string { return filepath.Join(dir, fmt.Sprintf("out%d_%d", limit, cpu)) }, limit, 0)
		if _, err := b.open(7); err != nil { // which is empty
			t.Fatal(err)
		}
		out, err := newOutput(&Config{Bulk: b}, sinkManifest(), new(clock), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		for i := range 100 {
			text := fmt.Sprintf("line %d\n", i)
			want += text
			out.record(i*i%3, &record{kind: recText}, []byte(text))
			if i%10 == 0 {
				out.flush()
			}
		}
		out.flush()
		if out.failed != nil || out.written != 100 {
			t.Fatal(out.failed, out.written)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("out%d_*", limit)))
		if err != nil || len(files) < 3 || limit > 0 && len(files) < 6 {
			t.Fatal(files, err)
		}
		var got, headed strings.Builder
		if err := Merge(&got, files, false); err != nil {
			t.Fatal(err)
		}
		if got.String() != want {
			t.Errorf("limit %d: %q", limit, got.String())
		}
		if err := Merge(&headed, files, true); err != nil || !strings.HasPrefix(headed.String(), "[0,1,7]\nline 0\n[1,2,14]\nline 1\nline 2\n[0,3,7]\nline 3\n") {
			t.Errorf("%v: %.80q", err, headed.String())
		}
	}
	bad := filepath.Join(dir, "bad")
	for _, text := range []string{"x", "something else than what -b writes", "GSpB\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00short"} {
		if err := os.WriteFile(bad, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Merge(&strings.Builder{}, []string{bad}, false); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
