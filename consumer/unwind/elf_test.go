// SPDX-License-Identifier: GPL-2.0-or-later

package unwind

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"gostap/internal/bounded"
)

// realFiles are programs and libraries of machines that build gostap; missing ones are skipped.
var realFiles = []string{
	"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "/bin/bash", "/usr/bin/python3",
	"/lib/x86_64-linux-gnu/libcrypto.so.3", "/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/bin/perl",
}

func readFile(t testing.TB, path string) (*Table, []byte) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skip(err)
	}
	table, err := Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return table, data
}

// TestRealFiles compares all rows of real files with readelf's.
func TestRealFiles(t *testing.T) {
	for _, path := range realFiles {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			table, data := readFile(t, path)
			began := time.Now()
			if _, err := Read(bytes.NewReader(data)); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d rows, %d rules, %v", len(table.Offsets), len(table.Rules), time.Since(began).Round(time.Millisecond))
			f, err := elf.NewFile(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			rows, others, unknown := compareReadelf(t, path, table, Code(f))
			if rows == 0 {
				t.Error("readelf has no rows")
			}
			t.Logf("%d rows are as readelf has them; %d have expressions", rows, others)
			// libcrypto has 3 of 64 with an index that is multiplied.
			if unknown*10 > others {
				t.Errorf("%d of %d expressions are not known", unknown, others)
			}
		})
	}
}

// compareReadelf compares rows; those with expressions are counted, as are those without a rule.
func compareReadelf(t *testing.T, path string, table *Table, code []Segment) (rows, others, unknown int) {
	out, err := exec.Command("readelf", "--wide", "--debug-dump=frames-interp", path).Output()
	if len(out) == 0 { // its exit code also reports problems of other sections
		t.Skip(err)
	}
	var columns []string
	entry := regexp.MustCompile(`FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)`)
	inEntry, bad, end := false, 0, uint64(0)
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		line := lines.Text()
		fields := strings.Fields(line)
		switch {
		case strings.Contains(line, "CIE"):
			inEntry = false
		case entry.MatchString(line):
			inEntry = true
			end, _ = strconv.ParseUint(entry.FindStringSubmatch(line)[2], 16, 64)
		case len(fields) > 1 && fields[0] == "LOC":
			columns = fields
		case inEntry && len(fields) == len(columns) && len(fields) > 1 && len(fields[0]) == 16:
			addr, err := strconv.ParseUint(fields[0], 16, 64)
			at, ok := fileOffset(code, addr)
			if err != nil || !ok || addr >= end {
				continue
			}
			got := table.At(at)
			if strings.Contains(line, "exp") {
				others++
				if got.CFA == CFANone {
					unknown++
					t.Logf("%#x has no rule: %s", addr, line)
				}
				continue
			}
			rows++
			want := map[string]string{}
			for i, c := range columns {
				want[c] = fields[i]
			}
			if diff := differs(got, want); diff != "" && bad < 10 {
				bad++
				t.Errorf("%#x: %s; readelf has %v", addr, diff, want)
			}
		}
	}
	return rows, others, unknown
}

var names = [registers]string{"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}

// differs returns how a rule differs from readelf's columns: "rsp+8", "c-8", "u".
func differs(r Rule, want map[string]string) string {
	if want["ra"] == "u" {
		if r.Flags&FlagEnd == 0 {
			return fmt.Sprintf("it has a caller: %+v", r)
		}
		return ""
	}
	if got := fmt.Sprintf("%s%+d", names[r.Register], r.Offset); r.CFA != CFARegister || got != want["CFA"] {
		return "the CFA is " + got
	}
	if got := fmt.Sprintf("c%+d", r.RA); r.RAFrom != FromCFA || got != want["ra"] {
		return "the return address is at " + got
	}
	for i, n := range SavedRegisters {
		got := "u"
		if r.Saved&(1<<i) != 0 {
			got = fmt.Sprintf("c%+d", r.At[i])
		}
		if w, has := want[names[n]]; has && w != got && w != "s" || !has && got != "u" {
			return names[n] + " is at " + got
		}
	}
	return ""
}

// libc's signal trampoline restores all registers from the stack.
func TestSignalFrame(t *testing.T) {
	table, _ := readFile(t, "/lib/x86_64-linux-gnu/libc.so.6")
	found := 0
	for _, r := range table.Rules {
		if r.Flags&FlagSignal != 0 {
			found++
			// struct rt_sigframe behind the return address: the ucontext's 40 bytes, then its registers.
			want := Rule{CFA: CFADeref, Register: rsp, Offset: 160, RAFrom: rsp, RA: 168, SavedFrom: rsp, Saved: 0x3f,
				Flags: FlagSignal, At: [6]int32{128, 120, 72, 80, 88, 96}}
			if r != want {
				t.Errorf("%+v, want %+v", r, want)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d rules of signals' frames", found)
	}
}

// Expressions as compilers, assemblers and linkers write them.
func TestExpressions(t *testing.T) {
	for _, c := range []struct {
		code []byte
		want Rule
	}{
		{[]byte{0x77, 0xa0, 0x01, 0x06}, Rule{CFA: CFADeref, Register: rsp, Offset: 160}},
		{[]byte{0x76, 0x70, 0x06}, Rule{CFA: CFADeref, Register: rbp, Offset: -16}},
		{[]byte{0x77, 0x88, 0x01, 0x06, 0x23, 0x08}, Rule{CFA: CFADeref, Register: rsp, Offset: 136, Add: 8}},
		{[]byte{0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}, Rule{CFA: CFAPLT, Register: rsp, Offset: 8, Add: 11}},
		{[]byte{0x7a, 0x00}, Rule{CFA: CFARegister, Register: 10}},
		{[]byte{0x77}, Rule{}},
		{[]byte{0x77, 8, 0x06, 0x06}, Rule{}},
		{[]byte{0x77, 8, 0x23}, Rule{}},
		{nil, Rule{}},
	} {
		if got := cfaExpression(c.code); got != c.want {
			t.Errorf("%x is %+v, want %+v", c.code, got, c.want)
		}
	}
}

// Go's programs have .debug_frame instead.
func TestDebugFrame(t *testing.T) {
	table, data := readFile(t, goProgram(t))
	f, symbols := goSymbols(t, data)
	functions, known := 0, 0
	for _, s := range symbols {
		if at, ok := fileOffset(Code(f), s.Value); ok && elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			functions++
			if r := table.At(at); r.CFA == CFARegister && r.Register == rsp && r.Offset == 8 && r.RA == -8 {
				known++
			}
		}
	}
	t.Logf("%d rows; the callers of %d of %d functions are known", len(table.Offsets), known, functions)
	if known < functions*9/10 || functions < 1000 {
		t.Error("too few")
	}
}

// Real files with overwritten bytes give an error or a table, no panic, and take no more memory than
// the file justifies.
func TestHostile(t *testing.T) {
	_, data := readFile(t, "/lib64/ld-linux-x86-64.so.2")
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	s := f.Section(".eh_frame")
	if s == nil {
		t.Skip("no .eh_frame")
	}
	random := rand.New(rand.NewPCG(1, 2))
	limits := bounded.Limits{Time: 20 * time.Second, Heap: 1 << 30}
	errs := 0
	for range 300 {
		bad := bytes.Clone(data)
		for range 1 + random.IntN(8) {
			at := random.IntN(len(bad))
			if random.IntN(4) != 0 {
				at = int(s.Offset) + random.IntN(int(s.Size))
			}
			bad[at] = byte(random.Uint32())
		}
		if err := limits.Run(func() error {
			if _, err := Read(bytes.NewReader(bad)); err != nil {
				errs++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of 300 were refused", errs)
}
