// SPDX-License-Identifier: GPL-2.0-or-later

package chunkedfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A recorder records the reported failures.
type recorder struct{ errors []string }

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.stp")
	text := "one ### \"first\" \"sec.nd\"\ntwo\n---\n#: args a b\nthree\nfour ### \"never\"\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	chunks := Read(r, path)
	if len(chunks) != 2 {
		t.Fatalf("got %d chunks, want 2", len(chunks))
	}
	if n := chunks[0].WantsErrors(); n != 2 {
		t.Errorf("the first chunk wants %d errors, want 2", n)
	}
	chunks[0].GotError(1, "a second thing")
	chunks[0].GotError(1, "a first thing")
	chunks[0].GotError(2, "surprise")
	chunks[0].Done()
	if got, want := string(chunks[1].Text), "\n\n\n#: args a b\nthree\nfour ### \"never\"\n"; got != want {
		t.Errorf("the second chunk is %q, want %q", got, want)
	}
	if chunks[1].Line != 4 || chunks[1].Directive("args") != "a b" {
		t.Errorf("the second chunk begins at %d with args %q", chunks[1].Line, chunks[1].Directive("args"))
	}
	chunks[1].Done()
	want := []string{
		path + ":2: unexpected error: surprise",
		path + `:6: expected an error that matches "never"`,
	}
	if !slices.Equal(r.errors, want) {
		t.Errorf("got %q, want %q", r.errors, want)
	}
}
