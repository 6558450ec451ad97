// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gostap/elaborate/btf"
)

// compiled builds testdata's program with additional flags for gcc.
func compiled(t testing.TB, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shapes")
	args := append([]string{"-O2", "-g", "-fno-toplevel-reorder", "-Wl,--build-id", "-o", path}, flags...)
	run(t, "gcc", append(args, "testdata/shapes.c", "testdata/other.c")...)
	return path
}

func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// loaded indexes a file.
func loaded(t testing.TB, path string) *Info {
	t.Helper()
	f := &Finder{}
	info, err := f.Load(filepath.Join(t.TempDir(), "index"), func() (string, error) { return path, nil }, func(int64, int64) {})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// variants are the forms of debuginfo.
func variants(t *testing.T) map[string]func(t *testing.T) string {
	changed := func(flags []string, tool ...string) func(*testing.T) string {
		return func(t *testing.T) string {
			path := compiled(t, flags...)
			if len(tool) > 0 {
				run(t, tool[0], append(tool[1:], path)...)
			}
			return path
		}
	}
	list := map[string]func(*testing.T) string{
		"DWARF 5":        changed([]string{"-gdwarf-5"}),
		"DWARF 4":        changed([]string{"-gdwarf-4"}),
		"DWARF 3":        changed([]string{"-gdwarf-3", "-gstrict-dwarf"}),
		"64-bit":         changed([]string{"-gdwarf-5", "-gdwarf64"}),
		"zlib":           changed([]string{"-gz=zlib"}),
		".zdebug":        changed([]string{"-gz=zlib-gnu"}),
		"eh_frame only":  changed([]string{"-fasynchronous-unwind-tables"}),
		"debug_frame":    changed([]string{"-fno-asynchronous-unwind-tables", "-fno-exceptions"}),
		"not relocated":  changed([]string{"-no-pie"}),
		"type units":     changed([]string{"-gdwarf-5", "-fdebug-types-section"}),
		".debug_types":   changed([]string{"-gdwarf-4", "-fdebug-types-section"}),
		"one big object": changed([]string{"-flto"}),
	}
	if _, err := exec.LookPath("dwz"); err == nil {
		list["dwz"] = changed([]string{"-gdwarf-5"}, "dwz")
	}
	return list
}

// moved is a program that has been moved together with the files of its debuginfo.
func moved(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(filepath.Dir(compiled(t, "-gdwarf-5", "-gsplit-dwarf")), dir); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "shapes")
}

// packed is a program with its debuginfo in one file beside it.
func packed(t *testing.T, version string) string {
	path := compiled(t, version, "-gsplit-dwarf")
	parts, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.dwo"))
	if err != nil || len(parts) < 2 {
		t.Fatal(parts, err)
	}
	run(t, "llvm-dwp", append([]string{"-o", path + ".dwp"}, parts...)...)
	for _, part := range parts {
		os.Remove(part)
	}
	return path
}

// A unit whose debuginfo file is missing, or is that of another compilation, has none.
func TestSplitLost(t *testing.T) {
	path := compiled(t, "-gdwarf-5", "-gsplit-dwarf")
	other := filepath.Join(filepath.Dir(path), "shapes-other.dwo")
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if info := loaded(t, path); len(info.Lookup("area")) != 1 || len(info.Lookup("other")) != 0 {
		t.Errorf("%v %v", info.Lookup("area"), info.Lookup("other"))
	}
	if err := os.Link(filepath.Join(filepath.Dir(path), "shapes-shapes.dwo"), other); err != nil {
		t.Fatal(err)
	}
	if info := loaded(t, path); len(info.Lookup("area")) != 1 || len(info.Lookup("other")) != 0 {
		t.Errorf("%v %v", info.Lookup("area"), info.Lookup("other"))
	}
}

// split are the forms of split debuginfo.
func split(t *testing.T) map[string]func(t *testing.T) string {
	list := map[string]func(*testing.T) string{
		"split":       func(t *testing.T) string { return compiled(t, "-gdwarf-5", "-gsplit-dwarf") },
		"split types": func(t *testing.T) string { return compiled(t, "-gdwarf-5", "-gsplit-dwarf", "-fdebug-types-section") },
		"split moved": moved,
		"split 4":     func(t *testing.T) string { return compiled(t, "-gdwarf-4", "-gsplit-dwarf") },
		"split 4 types": func(t *testing.T) string {
			return compiled(t, "-gdwarf-4", "-gsplit-dwarf", "-fdebug-types-section")
		},
	}
	if _, err := exec.LookPath("llvm-dwp"); err == nil {
		list["package"] = func(t *testing.T) string { return packed(t, "-gdwarf-5") }
		list["package 4"] = func(t *testing.T) string { return packed(t, "-gdwarf-4") }
	}
	return list
}

func TestVariants(t *testing.T) {
	list := variants(t)
	maps.Copy(list, split(t))
	for name, make := range list {
		t.Run(name, func(t *testing.T) {
			info := loaded(t, make(t))
			checkFunctions(t, info)
			checkVariables(t, info)
		})
	}
}

// checkFunctions checks the index.
func checkFunctions(t *testing.T, info *Info) {
	var files []string
	for _, f := range info.Lookup("same") {
		files = append(files, filepath.Base(f.File))
	}
	slices.Sort(files)
	if got := strings.Join(files, " "); got != "other.c shapes.c" {
		t.Errorf("same is in %s", got)
	}
	doubled := info.Lookup("doubled")
	if len(doubled) != 1 || filepath.Base(doubled[0].File) != "shapes.h" || doubled[0].Line != 4 {
		t.Fatalf("doubled: %+v", doubled)
	}
	outer := map[string]bool{}
	for _, in := range doubled[0].Instances() {
		if !in.Inlined || in.Outer == nil {
			t.Fatalf("doubled at %#x is no copy", in.Entry)
		}
		outer[in.Outer.Func.Name] = true
	}
	if !outer["area"] || !outer["other"] {
		t.Errorf("doubled is inlined into %v", outer)
	}
	area := info.Lookup("area")
	if len(area) != 1 || len(area[0].Instances()) != 1 {
		t.Fatalf("area: %+v", area)
	}
	in := area[0].Instances()[0]
	if at, ok := info.At(in.Entry + 1); !ok || at.Func.Name != "area" || at.Symbol != "area" {
		t.Errorf("%#x: %+v", in.Entry+1, at)
	}
	list, err := info.Statements(in)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int]uint64{}
	for _, st := range list {
		if st.Line < 35 || st.Line > 42 {
			t.Errorf("line %d is not of area", st.Line)
		}
		lines[st.Line] = st.Addr
	}
	if lines[40] == 0 {
		t.Errorf("line 40 has no code: %v", lines)
	}
	if file, line, ok := info.LineAt(in.Entry); !ok || filepath.Base(file) != "shapes.c" || line != 36 {
		t.Errorf("area begins at %s:%d", file, line)
	}
}

// checkVariables checks DIEs, locations and types.
func checkVariables(t *testing.T, info *Info) {
	in := info.Lookup("area")[0].Instances()[0]
	s, err := info.Scope(in, in.Entry)
	if err != nil {
		t.Fatal(err)
	}
	if v := s.Lookup("s"); v == nil || !v.Param {
		t.Fatalf("no parameter s: %v", s.Variables())
	} else if loc, err := v.Location(); err != nil || loc.Pieces[0].Kind != InRegister || loc.Pieces[0].N != 5 {
		t.Errorf("s is at %+v, %v, not in rdi", loc, err)
	}
	types := info.Types()
	shape := types.Target(s.Lookup("s").Type)
	if got := types.String(s.Lookup("s").Type); got != "struct shape*" {
		t.Errorf("s is a %s", got)
	}
	for _, c := range []struct {
		name, want string
		bits       int64
		offset     int64
	}{
		{"low", "unsigned char", 3, 0},
		{"high", "unsigned char", 5, 3},
		{"neg", "int", 9, 8},
		{"colour", "enum colour", 0, 32},
		{"grid", "short int[2][3]", 0, 64},
		{"word", "unsigned int", 0, 160},
		{"bytes", "unsigned char[4]", 0, 160},
		{"next", "struct shape*", 0, 192},
		{"names", "char const* const*", 0, 256},
		{"opaque", "struct declared_only*", 0, 320},
		{"call", "int (*) (struct shape*, char)", 0, 384},
		{"weight", "double", 0, 448},
	} {
		m, ok := types.Member(shape, c.name)
		if !ok {
			t.Errorf("no member %s", c.name)
			continue
		}
		spelled := strings.ReplaceAll(types.String(m.Type), "short[", "short int[")
		if spelled != c.want || m.Bits != c.bits || m.Offset != c.offset {
			t.Errorf("%s: %s, %d bits at %d; want %s, %d bits at %d", c.name, spelled, m.Bits, m.Offset, c.want, c.bits, c.offset)
		}
	}
	checkTypes(t, types, shape)
	found, err := info.Globals("hidden", func(file string) bool { return strings.HasSuffix(file, "shapes.c") })
	if err != nil || len(found) != 1 {
		t.Fatalf("hidden: %v, %v", found, err)
	}
	if loc, err := found[0].Location(); err != nil || loc.Pieces[0].X.Op != OpAddress {
		t.Errorf("hidden is at %+v, %v", loc, err)
	}
	// At each statement each variable has a location, or an error.
	list, _ := info.Statements(in)
	values := 0
	for _, st := range list {
		s, err := info.Scope(in, st.Addr)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range s.Variables() {
			if _, err := v.Location(); err == nil {
				values++
			}
		}
	}
	if values < 3*len(list)/2 {
		t.Errorf("%d values at %d statements", values, len(list))
	}
}

func checkTypes(t *testing.T, types btf.Table, shape btf.ID) {
	grid, _ := types.Member(shape, "grid")
	inner := types.Target(grid.Type)
	if types.Len(grid.Type) != 2 || types.Len(inner) != 3 || types.Size(grid.Type) != 12 || types.Size(inner) != 6 || types.Size(types.Target(inner)) != 2 {
		t.Errorf("grid: %d of %d, %d bytes", types.Len(grid.Type), types.Len(inner), types.Size(grid.Type))
	}
	colour, _ := types.Member(shape, "colour")
	if n, ok := types.Integer(types.Strip(colour.Type)); !ok || !n.Signed || !n.Enum || n.Size != 4 {
		t.Errorf("colour: %+v", n)
	}
	if got := fmt.Sprint(types.Enumerators(types.Strip(colour.Type))); got != "[{RED 3} {GREEN -7}]" {
		t.Errorf("colour: %s", got)
	}
	opaque, _ := types.Member(shape, "opaque")
	if k := types.Kind(types.Target(opaque.Type)); k != btf.Forward {
		t.Errorf("declared_only is of kind %d", k)
	}
	if types.Size(shape) != 64 {
		t.Errorf("a shape has %d bytes", types.Size(shape))
	}
}

func TestIndexIsKept(t *testing.T) {
	path := compiled(t)
	index := filepath.Join(t.TempDir(), "index")
	made := 0
	load := func() {
		t.Helper()
		f := &Finder{}
		progress := func(done, total int64) {
			if done == total {
				made++
			}
		}
		info, err := f.Load(index, func() (string, error) { return path, nil }, progress)
		if err != nil {
			t.Fatal(err)
		}
		checkFunctions(t, info)
		checkVariables(t, info)
	}
	load()
	load()
	if made != 1 {
		t.Errorf("the index was made %d times", made)
	}
	if err := os.WriteFile(index, []byte("gsdwarf2 but no more"), 0o666); err != nil {
		t.Fatal(err)
	}
	load()
	if made != 2 {
		t.Errorf("a damaged index was made anew %d times", made-1)
	}
}
