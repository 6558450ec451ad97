// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gostap/elaborate/btf"
	"gostap/internal/bounded"
)

// readAll opens what may be an ELF file with debuginfo, and reads everything that the package can read.
// It returns the error of opening it.
func readAll(data []byte) error {
	f, err := open("fuzz", "", data)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		return err
	}
	stat, err := os.Stat(path)
	if err != nil {
		return err
	}
	index, err := buildIndex(f, stat, func(int64, int64) {})
	if err != nil {
		return err
	}
	x, err := useIndex(index)
	if err != nil {
		return err
	}
	info := (&Finder{}).info(x, "")
	info.file = func() (*File, error) { return f, nil }
	budget := 200
	for _, fn := range x.Match(func(string) bool { return true }, func(string) bool { return true }) {
		for _, in := range fn.Instances() {
			if budget--; budget >= 0 {
				askAll(info, in)
			}
		}
	}
	if err := askNames(info.Types(), stat); err != nil {
		return err
	}
	_, err = info.WriteSubset(nil)
	return err
}

// askNames looks up types by name.
func askNames(types *Types, stat os.FileInfo) error {
	data, err := types.makeNames(stat)
	if err != nil {
		return err
	}
	known := useNames(data, types.f.Path, stat)
	if known == nil {
		return errors.New("the names can't be read")
	}
	types.naming.Do(func() { types.named = known })
	for i, one := range known.types {
		if i == 50 {
			break
		}
		for _, id := range types.Find(known.text(one.Name), btf.Kind(one.Kind)) {
			types.Size(id)
			types.MemberNames(types.Strip(id))
			if p, ok := types.PointerTo(id); ok {
				types.String(p)
			}
		}
	}
	types.Enumerator("RED")
	for cut := 0; cut < len(data); cut += 1 + len(data)/20 {
		useNames(data[:cut], types.f.Path, stat)
	}
	return nil
}

// askAll reads everything about one instance.
func askAll(info *Info, in Instance) {
	list, _ := info.Statements(in)
	pcs := []uint64{in.Entry}
	for i, st := range list {
		if i < 4 {
			pcs = append(pcs, st.Addr)
		}
	}
	types := info.Types()
	for _, pc := range pcs {
		info.LineAt(pc)
		info.SymbolAt(pc)
		s, err := info.Scope(in, pc)
		if err != nil {
			continue
		}
		for i, v := range s.Variables() {
			if i == 20 {
				break
			}
			if loc, err := v.Location(); err == nil {
				for _, p := range loc.Pieces {
					if p.Kind == IsPointer {
						p.To.Location()
						types.Size(p.To.Type)
					}
				}
			}
			v.Ranges()
			types.String(v.Type)
			types.Size(v.Type)
			t := types.Strip(types.Target(types.Strip(v.Type)))
			types.MemberNames(t)
			types.Member(t, "next")
			types.Enumerators(t)
			types.Integer(t)
		}
	}
	info.Globals("counter", func(string) bool { return true })
}

// limits runs work, and fails if it takes more than its bounds.
func limits(t *testing.T, work func()) {
	t.Helper()
	err := bounded.Limits{Wall: time.Minute, Allocated: 1 << 30}.Run(func() error {
		work()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// seeds are small files with debuginfo.
func seeds(t testing.TB) [][]byte {
	var list [][]byte
	for _, flags := range [][]string{
		{"-gdwarf-5", "-c", "testdata/other.c"},
		{"-gdwarf-4", "-no-pie", "testdata/other.c"},
		{"-gdwarf-5", "-gz=zlib", "testdata/other.c"},
		{"-gdwarf-5", "-fdebug-types-section", "testdata/pointers.c"},
		{"-gdwarf-4", "-fdebug-types-section", "testdata/pointers.c"},
	} {
		path := filepath.Join(t.TempDir(), "seed")
		args := append([]string{"-O2", "-g"}, flags...)
		run(t, "gcc", append(args, "-o", path, "-nostdlib", "-Wl,-e,0", "-Wl,--build-id")...)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, data)
	}
	return list
}

func FuzzRead(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		limits(t, func() { _ = readAll(data) })
	})
}

// FuzzExpression: an expression is a tree of limited size, or an error.
func FuzzExpression(f *testing.F) {
	for _, c := range expressions {
		f.Add(c.expr)
	}
	f.Fuzz(func(t *testing.T, expr []byte) {
		limits(t, func() { located(expr...) })
	})
}

// TestHostile reads files that are truncated, and files in which some bytes, mostly of their .debug_*
// sections, are changed.
func TestHostile(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, data := range seeds(t) {
		if err := readAll(data); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(data); n += max(1, len(data)/60) {
			limits(t, func() { _ = readAll(data[:n]) })
		}
		failed := 0
		for range 400 {
			bad := append([]byte(nil), data...)
			for range 1 + random.IntN(6) {
				at := random.IntN(len(bad) - 8)
				switch random.IntN(3) {
				case 0:
					bad[at] = byte(random.Uint32())
				case 1:
					binary.LittleEndian.PutUint32(bad[at:], random.Uint32()>>random.IntN(32))
				case 2:
					bad[at] = 0xff
				}
			}
			limits(t, func() {
				if readAll(bad) != nil {
					failed++
				}
			})
		}
		if failed == 0 {
			t.Error("no damage was noticed")
		}
	}
}
