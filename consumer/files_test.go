// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// contents returns the files of dir by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(dir + "/*")
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(path)] = string(text)
	}
	return found
}

// TestFiles: a write is not split over files, no file exceeds its limit except by a single write, and
// the oldest files are removed.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	asked := 0
	f, err := OpenFiles(func() string { asked++; return filepath.Join(dir, fmt.Sprint("out", asked/3)) }, 10, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{"one\n", "two\n", "three\n", "seventeen bytes.\n", "four\n", "five\n", "six\n"} {
		if n, err := f.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Errorf("%q: %d, %v", piece, n, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	want := map[string]string{"out1.2": "seventeen bytes.\n", "out1.3": "four\nfive\n", "out1.4": "six\n"}
	if got := contents(t, dir); !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

// TestSwitch: on request, an output continues in the next numbered file.
func TestSwitch(t *testing.T) {
	dir := t.TempDir()
	f, err := OpenFiles(func() string { return filepath.Join(dir, "out") }, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		fmt.Fprintln(f, i)
		if err := f.Switch(); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	want := map[string]string{"out": "0\n", "out.1": "1\n", "out.2": "2\n", "out.3": ""}
	if got := contents(t, dir); !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

// TestFilesPipe: everything is written to outputs without a size.
func TestFilesPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f := &Files{limit: 4, current: w}
	for range 3 {
		if _, err := f.Write([]byte("abc")); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	buf := make([]byte, 20)
	if n, err := r.Read(buf); err != nil || string(buf[:n]) != strings.Repeat("abc", 3) {
		t.Errorf("%q, %v", buf[:n], err)
	}
}
