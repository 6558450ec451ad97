// SPDX-License-Identifier: GPL-2.0-or-later

package unwind

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// goProgram builds a Go program.
func goProgram(t *testing.T, flags ...string) string {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/main.go", []byte("package main\n\nimport \"os/exec\"\n\nfunc main() { exec.Command(\"true\").Run() }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{"build"}, flags...), "-o", dir+"/main", dir+"/main.go")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir + "/main"
}

func goSymbols(t *testing.T, data []byte) (*elf.File, []elf.Symbol) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	return f, symbols
}

// A goroutine may be preempted at any instruction.
func TestInjectedCalls(t *testing.T) {
	table, data := readFile(t, goProgram(t))
	stripped, _ := readFile(t, goProgram(t, "-ldflags=-s -w"))
	f, symbols := goSymbols(t, data)
	found := 0
	for _, s := range symbols {
		want := strings.HasPrefix(s.Name, "runtime.asyncPreempt.") || s.Name == "runtime.sigpanic"
		if !want && s.Name != "main.main" {
			continue
		}
		found++
		offset, _ := fileOffset(Code(f), s.Value)
		for _, table := range []*Table{table, stripped} {
			if got := table.At(offset).Flags&FlagSignal != 0; got != want {
				t.Errorf("%s: %v", s.Name, got)
			}
		}
	}
	if found != 3 {
		t.Errorf("%d functions", found)
	}
}

// TestStripped compares the rows of stripped programs with the call frame information of the same
// programs before stripping.
func TestStripped(t *testing.T) {
	for _, mode := range []string{"exe", "pie"} {
		want, data := readFile(t, goProgram(t, "-buildmode="+mode))
		got, _ := readFile(t, goProgram(t, "-buildmode="+mode, "-ldflags=-s -w"))
		f, symbols := goSymbols(t, data)
		rows, same := 0, 0
		for _, s := range symbols {
			begin, ok := fileOffset(Code(f), s.Value)
			if !ok || elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 {
				continue
			}
			i, _ := slices.BinarySearch(want.Offsets, begin)
			for ; i < len(want.Offsets) && want.Offsets[i] < begin+uint32(s.Size); i++ {
				at := want.Offsets[i]
				w, g := want.At(at), got.At(at)
				if g.Flags&FlagEnd != 0 || g.CFA == CFANone {
					continue // it is not called, or it switches to another stack
				}
				rows++
				if g.CFA == w.CFA && g.Register == w.Register && g.Offset == w.Offset && g.RA == w.RA && g.Flags == w.Flags {
					same++
				} else if rows-same < 10 {
					t.Logf("%s+%#x: %+v, %+v", s.Name, at-begin, g, w)
				}
			}
		}
		t.Logf("%s: %d of %d rows are the same", mode, same, rows)
		if rows < 2000 || same < rows {
			t.Errorf("%s: only %d of %d", mode, same, rows)
		}
	}
}

// Where runtime.asmcgocall runs on a thread's stack, its caller is found by what it keeps there: in two
// places, of which one goes back to a goroutine's stack.
func TestCgo(t *testing.T) {
	for _, mode := range []string{"exe", "pie"} {
		whole, data := readFile(t, goProgram(t, "-buildmode="+mode))
		stripped, _ := readFile(t, goProgram(t, "-buildmode="+mode, "-ldflags=-s -w"))
		f, symbols := goSymbols(t, data)
		i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return strings.TrimSuffix(s.Name, ".abi0") == "runtime.asmcgocall" })
		begin, _ := fileOffset(Code(f), symbols[i].Value)
		for _, table := range []*Table{whole, stripped} {
			var kinds []uint8
			for at := begin; at < begin+uint32(symbols[i].Size); at++ {
				rule := table.At(at)
				special := rule.CFA == CFACgo || rule.CFA == CFADeref
				if special && (rule.Add != 16 || rule.Saved != 2 || rule.At[1] != -16) {
					t.Errorf("%+v", rule)
				}
				if !special {
					rule.CFA = CFANone
				}
				if n := len(kinds); n == 0 || kinds[n-1] != rule.CFA {
					kinds = append(kinds, rule.CFA)
				}
			}
			if !slices.Equal(kinds, []uint8{CFANone, CFACgo, CFANone, CFADeref, CFANone}) {
				t.Errorf("%s: %v", mode, kinds)
			}
		}
	}
}
