// SPDX-License-Identifier: GPL-2.0-or-later

package gopclntab

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const text = `package main

import "os"

//go:noinline
func count(n int) int {
	return n + len(os.Args)
}

func main() { os.Exit(count(1)) }
`

func build(t testing.TB, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "prog.go"), filepath.Join(dir, "prog")
	if err := os.WriteFile(from, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", append(append([]string{"build"}, flags...), "-o", to, from)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return to
}

// TestRead compares a table with the symbols of the same program, and reads it without them.
func TestRead(t *testing.T) {
	for _, flags := range [][]string{nil, {"-buildmode=pie"}} {
		e, err := elf.Open(build(t, flags...))
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		table, err := Read(e)
		if err != nil {
			t.Fatal(err)
		}
		symbols := map[string]uint64{}
		list, err := e.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			symbols[s.Name] = s.Value
		}
		equal := 0
		for _, f := range table.Funcs {
			if symbols[f.Name] == f.Addr {
				equal++
			}
		}
		if equal < 1000 || equal < len(table.Funcs)*90/100 {
			t.Errorf("%v: %d of %d functions are where their symbols are", flags, equal, len(table.Funcs))
		}
		file, line, ok := table.Line(symbols["main.count"])
		if !ok || filepath.Base(file) != "prog.go" || line != 7 {
			t.Errorf("%v: main.count is at %s:%d, %t", flags, file, line, ok)
		}
		stripped, err := elf.Open(build(t, append(flags, "-ldflags=-s -w")...))
		if err != nil {
			t.Fatal(err)
		}
		defer stripped.Close()
		found := false
		if table, err = Read(stripped); err != nil {
			t.Fatal(err)
		}
		for _, f := range table.Funcs {
			if f.Name == "main.count" {
				_, line, _ = table.Line(f.Addr)
				found = f.Size > 0 && line == 7
			}
		}
		if !found {
			t.Errorf("%v: there is no main.count in the stripped program", flags)
		}
	}
}

// TestDamaged reads tables that are truncated or have random content.
func TestDamaged(t *testing.T) {
	path := build(t, "-ldflags=-s -w")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := elf.NewFile(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	s := section(e)
	for step := uint64(1); step < 4000; step = step*3/2 + 1 {
		for _, value := range []byte{0, 0x7f, 0xff} {
			data := bytes.Clone(whole)
			for at := step; at < s.Size; at += step * 7 {
				data[s.Offset+at] = value
			}
			if step%2 == 0 {
				copy(data[s.Offset:], whole[s.Offset:s.Offset+72]) // the header is intact
			}
			e, err := elf.NewFile(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			table, err := Read(e)
			if err != nil {
				if !strings.Contains(err.Error(), "gopclntab") {
					t.Errorf("%v", err)
				}
				continue
			}
			for i := 0; i < len(table.Funcs); i += 100 {
				table.Line(table.Funcs[i].Addr)
			}
			if err := table.Frames(func(*Frame) error { return nil }); err != nil && !strings.Contains(err.Error(), "gopclntab") {
				t.Errorf("%v", err)
			}
		}
	}
}
