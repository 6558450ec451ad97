// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pkg/errors"
)

// The tests of this file compare with other tools, on a kernel's debuginfo.

// sampleFiles and samplesOfFile are the numbers of files and of functions that are checked.
const (
	sampleFiles   = 25
	samplesOfFile = 10
)

// kernelInfo returns a kernel's debuginfo; the test is skipped if there is none.
func kernelInfo(t *testing.T) *Info {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/debug/boot/vmlinux-*")
	if len(found) == 0 {
		t.Skip("no kernel's debuginfo is installed: tests/setup dwarf")
	}
	for _, tool := range []string{"readelf", "eu-addr2line", "perf"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed: tests/setup dwarf")
		}
	}
	id, err := BuildID(found[0])
	if err != nil {
		t.Fatal(err)
	}
	info, err := (&Finder{}).Load(IndexPath(id), func() (string, error) { return found[0], nil }, func(int64, int64) {})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// sample returns functions of the kernel, some of each of some files.
func sample(t *testing.T, info *Info) []Instance {
	byFile := map[string][]Instance{}
	for _, f := range info.Match(func(string) bool { return true }, func(file string) bool { return strings.HasSuffix(file, ".c") }) {
		for _, in := range f.Instances() {
			if !in.Inlined && info.SectionAt(in.Low).Name == ".text" && in.Symbol == f.Name && in.High-in.Low > 64 {
				byFile[f.File] = append(byFile[f.File], in)
			}
		}
	}
	var files []string
	for file, list := range byFile {
		if len(list) >= samplesOfFile {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	if len(files) < sampleFiles {
		t.Fatalf("only %d files have functions enough", len(files))
	}
	var out []Instance
	for i := range sampleFiles {
		list := byFile[files[i*len(files)/sampleFiles]]
		for k := range samplesOfFile {
			out = append(out, list[k*len(list)/samplesOfFile])
		}
	}
	return out
}

func TestAddressesAgree(t *testing.T) {
	info := kernelInfo(t)
	symbols := map[string][]uint64{}
	for line := range strings.Lines(run(t, "readelf", "-sW", info.Path())) {
		f := strings.Fields(line)
		if len(f) >= 8 && f[3] == "FUNC" {
			addr, _ := strconv.ParseUint(f[1], 16, 64)
			symbols[f[7]] = append(symbols[f[7]], addr)
		}
	}
	list := sample(t, info)
	for _, in := range list {
		if !slices.Contains(symbols[in.Func.Name], in.Entry) {
			t.Errorf("%s is entered at %#x; readelf has it at %#x", in.Func.Name, in.Entry, symbols[in.Func.Name])
		}
	}
	t.Logf("%d functions", len(list))
}

// addr2line returns eu-addr2line's functions, inlined ones first, and lines of addresses.
func addr2line(t *testing.T, path string, addrs []uint64) (functions [][]string, lines []string) {
	t.Helper()
	args := []string{"-f", "-i", "-a", "-e", path}
	for _, a := range addrs {
		args = append(args, fmt.Sprintf("%#x", a))
	}
	part := -1
	for line := range strings.Lines(run(t, "eu-addr2line", args...)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "0x") && !strings.Contains(line, " "):
			part++
			functions, lines = append(functions, nil), append(lines, "")
		case strings.Contains(line, ":") && !strings.Contains(line, " inlined at "):
			if lines[part] == "" {
				lines[part] = line
			}
		default:
			name, _, _ := strings.Cut(line, " inlined at ")
			functions[part] = append(functions[part], name)
		}
	}
	if len(lines) != len(addrs) {
		t.Fatalf("eu-addr2line answers %d of %d", len(lines), len(addrs))
	}
	return functions, lines
}

func TestLinesAgree(t *testing.T) {
	info := kernelInfo(t)
	var addrs []uint64
	for _, in := range sample(t, info) {
		list, err := info.Statements(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range list {
			addrs = append(addrs, st.Addr)
		}
	}
	for chunk := range slices.Chunk(addrs, 2000) {
		_, lines := addr2line(t, info.Path(), chunk)
		for i, addr := range chunk {
			file, line, ok := info.LineAt(addr)
			theirs := strings.Split(lines[i], ":")
			if !ok || len(theirs) < 2 || !strings.HasSuffix(filepath.Clean(theirs[0]), file) || theirs[1] != strconv.Itoa(line) {
				t.Errorf("%#x is at %s:%d; eu-addr2line has %s", addr, file, line, lines[i])
			}
		}
	}
	t.Logf("%d statements", len(addrs))
}

// decodedRow matches a row of readelf: "read_write.c  462  0xffffffff8134ccc2  1  x".
var decodedRow = regexp.MustCompile(`^(\S+)\s+(\d+)\s+0x([0-9a-f]+)`)

func TestStatementsAgree(t *testing.T) {
	info := kernelInfo(t)
	type place struct {
		file string
		line int
		addr uint64
	}
	rows := map[place]bool{}
	for line := range strings.Lines(run(t, "readelf", "--debug-dump=decodedline", info.Path())) {
		if m := decodedRow.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[2])
			addr, _ := strconv.ParseUint(m[3], 16, 64)
			rows[place{m[1], n, addr}] = true
		}
	}
	for _, in := range sample(t, info) {
		list, err := info.Statements(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range list {
			if !rows[place{filepath.Base(in.Func.File), st.Line, st.Addr}] {
				t.Errorf("%s:%d at %#x is none of readelf's rows", in.Func.File, st.Line, st.Addr)
			}
		}
	}
}

func TestCopiesAgree(t *testing.T) {
	info := kernelInfo(t)
	var list []Instance
	all := info.Match(func(string) bool { return true }, func(file string) bool { return strings.HasPrefix(file, "fs/") || strings.HasPrefix(file, "mm/") })
	for i := 0; i < len(all) && len(list) < 1500; i += 3 {
		for _, in := range all[i].Instances() {
			if in.Inlined {
				list = append(list, in)
			}
		}
	}
	var addrs []uint64
	for _, in := range list {
		addrs = append(addrs, in.Low) // the entry may be before the code
	}
	functions, _ := addr2line(t, info.Path(), addrs)
	for i, in := range list {
		if !slices.Contains(functions[i], in.Func.Name) {
			t.Errorf("%s is inlined at %#x; eu-addr2line has %v there", in.Func.Name, in.Low, functions[i])
		}
	}
	t.Logf("%d copies", len(list))
}

// registerNames are the kernel's, by DWARF's numbers.
var registerNames = []string{"ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}

// asPerf returns a location as perf probe writes it; "" if perf has no syntax for it, or several.
func asPerf(loc *Location) string {
	if len(loc.Pieces) != 1 || loc.Pieces[0].Bits != 0 {
		return ""
	}
	name := func(n int64) string {
		if n < int64(len(registerNames)) {
			return "%" + registerNames[n]
		}
		return "?"
	}
	switch p := loc.Pieces[0]; p.Kind {
	case InRegister:
		return name(p.N)
	case InMemory:
		switch x := p.X; {
		case x.Op == OpRegister:
			return "+0(" + name(x.N) + ")"
		case x.Op == OpBinary && x.Name == "+" && x.X.Op == OpRegister && x.Y.Op == OpConst:
			return fmt.Sprintf("%+d(%s)", x.Y.N, name(x.X.N))
		}
	}
	return ""
}

// A perfPoint matches a probe definition of perf: "p:probe/vfs_read_L12 vfs_read+114 file=%bp:x64 …".
var perfPoint = regexp.MustCompile(`^p:\S+ (\S+?)\+(\d+)(.*)$`)

func TestVariablesAgree(t *testing.T) {
	info := kernelInfo(t)
	list := sample(t, info)
	if testing.Short() {
		list = list[:20]
	}
	var points []string
	for i, in := range list {
		point := in.Func.Name + "@" + in.Func.File
		if st, _ := info.Statements(in); i%2 == 1 && len(st) > 4 {
			point += fmt.Sprintf(":%d", st[len(st)/2].Line-in.Func.Line) // a line in the middle
		}
		points = append(points, point+" $vars")
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var answers []string
	chunks := slices.Collect(slices.Chunk(points, 10))
	next := make(chan []string, len(chunks))
	for _, c := range chunks {
		next <- c
	}
	close(next)
	for range 2 {
		wg.Go(func() {
			for c := range next {
				answer := perf(info.Path(), c)
				mu.Lock()
				answers = append(answers, answer...)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	places, compared := 0, 0
	for _, line := range answers {
		m := perfPoint.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		places++
		compared += compareVariables(t, info, list, m[1], m[2], strings.Fields(m[3]))
	}
	t.Logf("%d points, %d variables", places, compared)
	if places < len(list)/2 || compared < len(list) {
		t.Errorf("perf said too little: %d points, %d variables", places, compared)
	}
}

// perf returns perf probe's definitions of points. An invalid point makes the others fail, so after a
// failure each is tried alone.
func perf(path string, points []string) []string {
	args := []string{"probe", "-q", "-k", path}
	for _, p := range points {
		args = append(args, "-D", p)
	}
	out, err := exec.Command("perf", args...).Output()
	if err == nil {
		return strings.Split(string(out), "\n")
	}
	if len(points) == 1 {
		return nil
	}
	var all []string
	for _, p := range points {
		all = append(all, perf(path, []string{p})...)
	}
	return all
}

// nearer reports whether perf takes another variable of that name: one of a function that is inlined at
// pc.
func nearer(info *Info, in Instance, pc uint64, name string) bool {
	for n := range info.instances {
		copy := info.instance(uint32(n))
		if copy.Outer == nil || copy.Outer.Low != in.Low || !copy.Contains(pc) {
			continue
		}
		if s, err := info.Scope(copy, pc); err == nil && s.Lookup(name) != nil {
			return true
		}
	}
	return false
}

// compareVariables compares a point's variables with perf's, and returns the number of variables that
// it could compare.
func compareVariables(t *testing.T, info *Info, list []Instance, symbol, offset string, vars []string) int {
	off, _ := strconv.ParseUint(offset, 10, 64)
	at := slices.IndexFunc(list, func(in Instance) bool { return in.Symbol == symbol })
	if at < 0 {
		return 0
	}
	in := list[at]
	pc := in.Low + off
	for _, copy := range in.Func.Instances() { // a function may be inlined into itself
		if copy.Contains(pc) && copy.Die > in.Die && copy.Outer != nil && copy.Outer.Low == list[at].Low {
			in = copy
		}
	}
	s, err := info.Scope(in, pc)
	if err != nil {
		t.Error(err)
		return 0
	}
	n := 0
	for _, one := range vars {
		name, theirs, ok := strings.Cut(one, "=")
		if i := strings.LastIndexByte(theirs, ':'); i > 0 {
			theirs = theirs[:i]
		}
		v := s.Lookup(name)
		if !ok || v == nil || off == 0 && !v.Param {
			continue
		}
		loc, err := v.Location()
		if err != nil {
			var gone *GoneError
			if off == 0 && errors.As(err, &gone) || nearer(info, in, pc, name) {
				continue // perf has the location further down
			}
			t.Errorf("$%s at %s+%s: %v; perf has %s", name, symbol, offset, err, theirs)
			continue
		}
		if ours := asPerf(loc); ours != "" {
			n++
			if ours != theirs && !nearer(info, in, pc, name) {
				t.Errorf("$%s at %s+%s is at %s; perf has %s", name, symbol, offset, ours, theirs)
			}
		}
	}
	return n
}
