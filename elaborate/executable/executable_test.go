// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gostap/elaborate/internal/compiled"
	"gostap/internal/bounded"
)

const source = `
#include <stdio.h>
static int hidden(int n) { return n + 1; }
int shown(int n) { return hidden(n) * 3; }
int main(int argc, char **argv) { printf("%d\n", shown(argc)); return puts(argv[0]) < 0; }
`

// compile compiles text to a program.
func compile(t *testing.T, text string, flags ...string) string {
	t.Helper()
	return compiled.Program(t, text, append(flags, "-fno-inline")...)
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	return compiled.Run(t, name, args...)
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFunctions(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	for _, c := range []struct {
		name  string
		flags []string
		strip []string // arguments of strip, nil: not stripped
		mini  bool
		lost  bool // the symbol hidden is not found
	}{
		{name: "PIE"},
		{name: "at a fixed address", flags: []string{"-no-pie"}},
		{name: "static", flags: []string{"-static"}},
		{name: "exporting, stripped", flags: []string{"-rdynamic"}, strip: []string{"-s"}, lost: true},
		{name: "MiniDebugInfo", strip: []string{"-s"}, mini: true},
	} {
		path := compile(t, source, append(c.flags, "-Wl,--build-id")...)
		full := path + ".full"
		run(t, "cp", path, full)
		if c.strip != nil {
			run(t, "strip", append(c.strip, path)...)
		}
		if c.mini {
			run(t, "objcopy", "--only-keep-debug", full, full+".debug")
			run(t, "xz", "-z", full+".debug")
			run(t, "objcopy", "--add-section", ".gnu_debugdata="+full+".debug.xz", path)
		}
		f := open(t, path)
		functions, err := f.Functions()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if len(f.BuildID) != 40 {
			t.Errorf("%s: the build-id is %q", c.name, f.BuildID)
		}
		for _, name := range []string{"hidden", "shown"} {
			found := functions.Lookup(name)
			if name == "hidden" && c.lost {
				if len(found) > 0 {
					t.Errorf("%s: a stripped program still has %v", c.name, found)
				}
				continue
			}
			if len(found) != 1 {
				t.Errorf("%s: %s is %v", c.name, name, found)
				continue
			}
			offset, ok := f.FileOffset(found[0].Addr)
			back, ok2 := f.AddressAt(offset)
			if !ok || !ok2 || back != found[0].Addr || !f.IsCode(back) {
				t.Errorf("%s: %s at %#x is at %#x in the file, which is %#x", c.name, name, found[0].Addr, offset, back)
			}
			// objdump has the same bytes at that offset.
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if code := f.Code(back, 4); string(code) != string(data[offset:offset+4]) || len(code) != 4 {
				t.Errorf("%s: the code of %s is % x, and in the file % x", c.name, name, code, data[offset:offset+4])
			}
			if found[0].Kind != map[string]byte{"shown": 'T', "hidden": 't'}[name] {
				t.Errorf("%s: %s is of kind %c", c.name, name, found[0].Kind)
			}
		}
	}
}

func TestStubs(t *testing.T) {
	for _, flags := range [][]string{{"-fcf-protection=none"}, {"-fcf-protection=full", "-Wl,-z,ibtplt"}, {"-Wl,-z,now"}, {"-no-pie", "-Wl,-z,lazy"}} {
		f := open(t, compile(t, source, flags...))
		list, err := f.Stubs()
		if err != nil {
			t.Fatal(err)
		}
		// objdump names PLT entries: "0000000000001030 <puts@plt>:"
		dump := run(t, "objdump", "-d", f.Path)
		found := map[string]string{}
		for _, line := range strings.Split(dump, "\n") {
			if addr, name, ok := strings.Cut(strings.TrimSuffix(line, "@plt>:"), " <"); ok && strings.HasSuffix(line, "@plt>:") {
				found[name] = strings.TrimLeft(addr, "0")
			}
		}
		if len(list) != len(found) || len(list) < 2 {
			t.Errorf("%v: %v, objdump has %v", flags, list, found)
		}
		for _, s := range list {
			if text := found[s.Name]; text != fmt.Sprintf("%x", s.Addr) {
				t.Errorf("%v: %s is at %#x, by objdump at %s", flags, s.Name, s.Addr, text)
			}
		}
	}
}

// TestDamaged reads programs with changed bytes, and truncated ones.
func TestDamaged(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	path := compile(t, marked, "-g")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged")
	limits := bounded.Limits{Time: 10 * time.Second, Heap: 1 << 30}
	try := func(data []byte) {
		if err := os.WriteFile(damaged, data, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := limits.Run(func() error {
			f, err := Open(damaged)
			if err != nil {
				return nil // as expected
			}
			f.Functions()
			f.Marks()
			f.Stubs()
			f.Libraries("*")
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for cut := 0; cut < len(whole); cut += 1 + len(whole)/200 {
		try(whole[:cut])
	}
	// The headers, and those of the sections at the end.
	for _, part := range [][2]int{{0, 64 + 13*56}, {len(whole) - 40*64, len(whole)}} {
		for at := part[0]; at < part[1]; at += 3 {
			data := append([]byte(nil), whole...)
			data[at] ^= byte(0x55 + at)
			try(data)
		}
	}
}
