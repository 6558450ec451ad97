// SPDX-License-Identifier: GPL-2.0-or-later

package bundle

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program builds a small static program.
func program(t *testing.T, args ...string) string {
	dir := t.TempDir()
	source := filepath.Join(dir, "p.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(\"hello\") }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "p")
	cmd := exec.Command("go", append(append([]string{"build", "-o", path}, args...), source)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// pack makes a bundle of a program and two modules.
func pack(t *testing.T, path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	index := Index{Script: "reads.stp", Gostap: "0.1", Modules: []Module{{Release: "6.1.0-a", BuildID: "aa", Name: "m"}, {Release: "6.12.0-b", Name: "m"}}}
	var out bytes.Buffer
	if err := Write(&out, f, index, [][]byte{bytes.Repeat([]byte("one"), 1000), []byte("two" + signatureMark)}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func keep(t *testing.T, data []byte) string {
	path := filepath.Join(t.TempDir(), "bundle")
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRoundTrip(t *testing.T) {
	plain := program(t)
	if _, err := Open(plain); !errors.Is(err, ErrNone) {
		t.Errorf("a plain program: %v", err)
	}
	data := pack(t, plain)
	if !bytes.Equal(data, pack(t, plain)) {
		t.Error("the same content makes other bytes")
	}
	path := keep(t, data)
	if again := pack(t, path); !bytes.Equal(data, again) {
		t.Error("a bundle of a bundle has more than the program of it")
	}
	b, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.Script != "reads.stp" || len(b.Modules) != 2 || b.Modules[0].Size != 3000 || b.Modules[0].Signed || !b.Modules[1].Signed {
		t.Errorf("%+v", b.Index)
	}
	if data, err := b.Read(0); err != nil || string(data[:6]) != "oneone" {
		t.Errorf("%q, %v", data[:6], err)
	}
	// The appended data do not keep the program from running.
	if out, err := exec.Command(path).CombinedOutput(); err != nil || string(out) != "hello\n" {
		t.Errorf("%v: %s", err, out)
	}
	pack(t, program(t, "-ldflags=-s -w"))
}

func TestChoose(t *testing.T) {
	b := &Bundle{Index: Index{Script: "s", Modules: []Module{{Release: "6.1", BuildID: "aa"}, {Release: "6.12"}}}}
	for _, c := range []struct {
		release, buildID string
		want             int
		why              string
	}{
		{"6.1", "aa", 0, ""}, {"6.1", "", 0, ""}, {"6.12", "xx", 1, ""},
		{"6.1", "bb", 0, "another build of 6.1, with build-id bb: the module of s was made for build-id aa"},
		{"6.18", "aa", 0, "s has no module for this kernel, 6.18: it was made for 6.1, 6.12"},
	} {
		got, err := b.Choose(c.release, c.buildID)
		if got != c.want || c.why == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
	}
}

// Any truncation or modification is detected, and the file is never taken for something other than a
// bundle.
func TestDamaged(t *testing.T) {
	plain := program(t)
	info, err := os.Stat(plain)
	if err != nil {
		t.Fatal(err)
	}
	whole, end := pack(t, plain), int(info.Size())
	damaged := func(name string, data []byte, want string) {
		t.Helper()
		var e *DamagedError
		if _, err := Open(keep(t, data)); !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	damaged("cut in the program", whole[:end-100], "within its program")
	damaged("cut in the magic", whole[:end+5], "within its header")
	damaged("cut in the header", whole[:end+50], "within its header")
	damaged("cut in the archive", whole[:len(whole)-1], "it is cut off: ")
	damaged("too long", append(bytes.Clone(whole), 0), "1 bytes stand behind")
	for at, want := range map[int]string{len(whole) - 1: "modules", end + int(headerSize): "modules", end + 30: "modules", end / 2: "program"} {
		changed := bytes.Clone(whole)
		changed[at] ^= 1
		damaged("changed", changed, "the checksum of its "+want)
	}
	if _, err := Open(keep(t, append(bytes.Clone(whole[:end]), "other stuff"...))); !errors.Is(err, ErrNone) {
		t.Errorf("a program with something else behind it: %v", err)
	}
}
