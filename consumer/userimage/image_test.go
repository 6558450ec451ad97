// SPDX-License-Identifier: GPL-2.0-or-later

package userimage

import (
	"bytes"
	"debug/elf"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gostap/internal/bounded"
)

// build compiles C or C++ and returns the program's path.
func build(t *testing.T, compiler, name, source string, options ...string) string {
	dir := t.TempDir()
	file, out := filepath.Join(dir, name), filepath.Join(dir, "prog")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(compiler, append(options, "-o", out, file)...).CombinedOutput(); err != nil {
		t.Skipf("%v\n%s", err, text)
	}
	return out
}

func openImage(t *testing.T, path string) *Image {
	f, err := os.Open(path)
	if err != nil {
		t.Skip(err)
	}
	im, err := Open(f, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(im.Close)
	return im
}

const source = `#include <stdlib.h>
__attribute__((noinline)) static int hidden(int n) { return n * rand(); }
__attribute__((noinline)) int shown(int n)
{
	return hidden(n) + 1;
}
int main(int argc, char **argv) { return shown(argc); }
`

// Functions by the symbol table, and lines of functions whose parts are not in the order of addresses.
func TestSymbolsAndLines(t *testing.T) {
	im := openImage(t, build(t, "gcc", "a.c", source, "-O2", "-g"))
	symbols := map[string]Symbol{}
	for _, s := range im.Symbols() {
		symbols[s.Name] = s
	}
	for name, line := range map[string]int{"shown": 4, "main": 7} {
		s := symbols[name]
		if s.Size == 0 {
			t.Fatalf("%s is not there: %v", name, symbols)
		}
		for _, addr := range []uint64{s.Addr, s.Addr + s.Size - 1} {
			if got, ok := im.Find(addr); !ok || got != s {
				t.Errorf("%#x is in %+v, want %+v", addr, got, s)
			}
		}
		file, got, ok := im.Line(s.Addr)
		if !ok || got != line || !strings.HasSuffix(file, "/a.c") {
			t.Errorf("%s begins in %s:%d, %t; want line %d", name, file, got, ok, line)
		}
		offset, ok := im.Offset(s.Addr)
		if addr, back := im.Addr(offset); !ok || !back || addr != s.Addr {
			t.Errorf("%#x is at %#x of the file, which is %#x", s.Addr, offset, addr)
		}
	}
	if _, ok := im.Find(1); ok {
		t.Error("address 1 has a symbol")
	}
	// The table for handlers has the same line for each byte as a lookup of its address.
	table := im.LineTable(nil)
	for _, name := range []string{"hidden", "shown", "main"} {
		s := symbols[name]
		for addr := s.Addr; addr < s.Addr+s.Size; addr++ {
			file, line, ok := im.Line(addr)
			offset, _ := im.Offset(addr)
			gotFile, got, there := table.Find(uint32(offset))
			if file != gotFile || line != got || ok != there {
				t.Errorf("%s+%#x is of %s:%d, and in the table of %s:%d", name, addr-s.Addr, file, line, gotFile, got)
			}
		}
	}
	ended := make(chan struct{})
	close(ended)
	if rows := im.LineTable(ended).Rows; len(rows) > 0 {
		t.Errorf("%d rows have been read after the end", len(rows))
	}
}

const inlinedSource = `#include <stdlib.h>
static inline __attribute__((always_inline)) int inner(int n)
{
	return rand() + n;
}
static inline __attribute__((always_inline)) int middle(int n)
{
	n++;
	return inner(n) * 3;
}
int main(int argc, char **argv)
{
	argc += 4;
	return middle(argc);
}
`

// Code of inlined functions: each has its line, the innermost is first.
func TestInlined(t *testing.T) {
	for _, options := range [][]string{{"-O0", "-gdwarf-5"}, {"-O2", "-gdwarf-4"}} {
		im := openImage(t, build(t, "gcc", "a.c", inlinedSource, options...))
		found := map[string]bool{}
		for _, s := range im.Symbols() {
			if s.Name != "main" {
				continue
			}
			for addr := s.Addr; addr < s.Addr+s.Size; addr++ {
				copies, file, line := im.Position(addr)
				text := ""
				for _, c := range copies {
					text += fmt.Sprintf("%s %s:%d, ", c.Name, filepath.Base(c.File), c.Line)
				}
				found[text+fmt.Sprintf("main %s:%d", filepath.Base(file), line)] = true
			}
		}
		if want := "inner a.c:4, middle a.c:9, main a.c:14"; !found[want] {
			t.Errorf("%v: %s is not there: %v", options, want, found)
		}
	}
	im := openImage(t, build(t, "g++", "a.cc", "namespace ns { struct C { int n; inline __attribute__((always_inline)) int m(int a) { return a / n; } }; }\n"+
		"int main(int argc, char **) { ns::C c = { argc }; return c.m(7); }\n", "-O0", "-g"))
	found := map[string]bool{}
	for _, s := range im.Symbols() {
		for addr := s.Addr; s.Name == "main" && addr < s.Addr+s.Size; addr++ {
			copies, _, line := im.Position(addr)
			found[fmt.Sprint(len(copies), line)] = true
			if len(copies) > 0 && (copies[0].Name != "ns::C::m(int)" && copies[0].Name != "m" || line != 2) {
				t.Errorf("%+v in line %d", copies, line)
			}
		}
	}
	if !found["1 2"] {
		t.Errorf("no copy in %v", found)
	}
}

// For a stripped program, MiniDebugInfo has the functions, in addition to the dynamic symbols.
func TestMiniDebugInfo(t *testing.T) {
	prog := build(t, "gcc", "a.c", source, "-O2", "-rdynamic")
	mini := filepath.Join(t.TempDir(), "mini")
	for _, command := range [][]string{
		{"objcopy", "--only-keep-debug", prog, mini}, {"xz", "-z", mini},
		{"objcopy", "--strip-all", prog, prog}, {"objcopy", "--add-section", ".gnu_debugdata=" + mini + ".xz", prog, prog},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%v: %v\n%s", command, err, out)
		}
	}
	found := map[string]bool{}
	for _, s := range openImage(t, prog).Symbols() {
		found[s.Name] = true
	}
	if !found["hidden"] || !found["shown"] {
		t.Errorf("hidden %t, shown %t", found["hidden"], found["shown"])
	}
}

// C++ names are demangled.
func TestDemangled(t *testing.T) {
	im := openImage(t, build(t, "g++", "a.cc", "namespace ns { struct C { int m(int, char *); }; int C::m(int a, char *) { return a; } }\nint main() { ns::C c; return c.m(1, 0); }\n"))
	for _, s := range im.Symbols() {
		if s.Name == "ns::C::m(int, char*)" {
			return
		}
	}
	t.Error("ns::C::m(int, char*) is not there")
}

// If there are several names at an address, the one that programs call is used.
func TestAliases(t *testing.T) {
	x := &symbolIndex{strings: [][]byte{[]byte("\x00__write\x00write\x00mark\x00asm\x00next\x00end\x00")}}
	at := func(name string) uint32 { return uint32(bytes.Index(x.strings[0], []byte("\x00"+name+"\x00")) + 1) }
	x.ends = []uint64{0x150}
	function, weak, label := elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), elf.ST_INFO(elf.STB_WEAK, elf.STT_FUNC), elf.ST_INFO(elf.STB_GLOBAL, elf.STT_NOTYPE)
	x.entries = x.settle([]symbolEntry{
		{addr: 0x100, size: 16, name: at("write"), info: weak}, {addr: 0x100, size: 16, name: at("__write"), info: function},
		{addr: 0x108, name: at("mark"), info: label}, {addr: 0x120, name: at("asm"), info: label}, {addr: 0x130, size: 8, name: at("next"), info: function},
		{addr: 0x140, name: at("end"), info: label},
	})
	var list []Symbol
	for i := range x.entries {
		list = append(list, Symbol{x.name(&x.entries[i]), x.entries[i].addr, x.entries[i].size})
	}
	want := "[{__write 256 16} {asm 288 16} {next 304 8} {end 320 16}]"
	if got := fmt.Sprint(list); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Real files with overwritten bytes: all lookups end, without a panic.
func TestHostile(t *testing.T) {
	data, err := os.ReadFile(build(t, "gcc", "a.c", source, "-O2", "-g"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	limits := bounded.Limits{Time: 20 * time.Second, Heap: 1 << 30}
	for range 300 {
		bad := bytes.Clone(data)
		for range 1 + random.IntN(8) {
			at := random.IntN(len(bad))
			if s := f.Sections[random.IntN(len(f.Sections))]; s.Type != elf.SHT_NOBITS && s.Size > 0 {
				at = int(s.Offset) + random.IntN(int(s.Size))
			}
			bad[at] = byte(random.Uint32())
		}
		if err := limits.Run(func() error {
			im, err := OfBytes(bad, "bad")
			if err != nil {
				return nil
			}
			im.Table()
			im.LineTable(nil)
			for _, s := range im.Symbols() {
				im.Find(s.Addr)
				im.Position(s.Addr)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
