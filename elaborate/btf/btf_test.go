// SPDX-License-Identifier: GPL-2.0-or-later

package btf

import (
	"os"
	"slices"
	"testing"

	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/symbols"
)

func openKernel(t testing.TB, release string) (*Spec, string) {
	t.Helper()
	k, err := symbols.Open(release)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(k.BTFPath())
	if err != nil {
		t.Fatal(err)
	}
	return s, k.BTFPath()
}

// TestWhole decodes the whole BTF of each kernel: every member is within its struct, every type is
// found by its name, and every function has a prototype.
func TestWhole(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		s, _ := openKernel(t, release)
		functions, members := 0, 0
		for id := ID(1); int(id) <= len(s.offsets)/4; id++ {
			kind, name := s.Kind(id), s.Name(id)
			if kind == Unknown || name != "" && !slices.Contains(s.Find(name, kind), id) {
				t.Fatalf("type %d, %q of kind %d, is not found", id, name, kind)
			}
			if kind == Function {
				functions++
				if p, ok := s.Proto(id); !ok || len(p.Params) > 20 {
					t.Fatalf("%s: %+v", name, p)
				}
			}
			for _, m := range s.Members(id) {
				members++
				bits := m.Bits
				if bits == 0 {
					bits = 8 * s.Size(m.Type)
				}
				if m.Offset < 0 || m.Offset+bits > 8*s.Size(id) {
					t.Fatalf("%s.%s: bit %d of %d bytes", name, m.Name, m.Offset, s.Size(id))
				}
				if found, ok := s.Member(id, m.Name); m.Name != "" && (!ok || found != m) {
					t.Fatalf("%s.%s: %+v, not %+v", name, m.Name, found, m)
				}
			}
		}
		t.Logf("%s: %d types, %d functions, %d members", release, len(s.offsets)/4, functions, members)
	}
}

func TestSpelling(t *testing.T) {
	s, _ := openKernel(t, testkernel.Releases(t)[0])
	for name, want := range map[string]string{
		"vfs_read": "ssize_t vfs_read(struct file* file, char* buf, size_t count, loff_t* pos)",
		"_printk":  "int _printk(char const* fmt, ...)",
		"qsort_r":  "",
	} {
		ids := s.Find(name, Function)
		if want == "" {
			if len(ids) != 0 {
				t.Errorf("there is a %s", name)
			}
			continue
		}
		p, ok := s.Proto(ids[0])
		if got := Signature(s, name, p); !ok || got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	file := s.Find("file", Struct)[0]
	if m, ok := s.Member(file, "f_llist"); !ok || m.Offset != 0 { // in an anonymous union
		t.Errorf("file.f_llist: %+v", m)
	}
	if _, ok := s.Member(file, "none"); ok {
		t.Error("struct file has a member none")
	}
}

func FuzzParse(f *testing.F) {
	s, path := openKernel(f, testkernel.Releases(f)[0])
	blob, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	// A piece of a real kernel's BTF, with a cycle of typedefs.
	const n = 4000
	piece := append([]byte(nil), blob[:24]...)
	le.PutUint32(piece[12:], n)
	le.PutUint32(piece[16:], n)
	le.PutUint32(piece[20:], 2000)
	end := 0
	for id := ID(1); ; id++ {
		at := int(le.Uint32(s.offsets[4*(id-1):]))
		if at > n {
			break
		}
		end = at
	}
	piece = append(piece, s.raw.types[:end]...)
	le.PutUint32(piece[12:], uint32(end))
	le.PutUint32(piece[16:], uint32(end))
	piece = append(append(piece, s.raw.strings[:1999]...), 0)
	f.Add(piece)
	loop := append(append([]byte(nil), piece[:24]...), make([]byte, 24+3)...)
	le.PutUint32(loop[12:], 24)
	le.PutUint32(loop[16:], 24)
	le.PutUint32(loop[20:], 3)
	for i := range 2 {
		le.PutUint32(loop[24+12*i:], 1)
		le.PutUint32(loop[24+12*i+4:], uint32(Typedef)<<24)
		le.PutUint32(loop[24+12*i+8:], uint32(2-i))
	}
	loop[49] = 'a'
	f.Add(loop)
	f.Fuzz(func(t *testing.T, blob []byte) {
		s, err := Parse(blob)
		if err != nil {
			return
		}
		for id := ID(0); int(id) <= len(s.offsets)/4+1 && id < 30; id++ {
			_ = s.String(id)
			s.Size(id)
			s.Find(s.Name(id), s.Kind(id))
			s.Member(id, "none")
			s.MemberNames(id)
			s.Integer(s.Strip(id))
			s.IsUser(id)
			s.Enumerators(id)
			s.PointerTo(id)
			if p, ok := s.Proto(id); ok {
				Signature(s, "f", p)
			}
		}
	})
}

func BenchmarkOpenAndFind(b *testing.B) {
	_, path := openKernel(b, testkernel.Releases(b)[0])
	for b.Loop() {
		s, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		p, ok := s.Proto(s.Find("vfs_read", Function)[0])
		if !ok || len(p.Params) != 4 {
			b.Fatal("no vfs_read")
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	_, path := openKernel(b, testkernel.Releases(b)[0])
	blob, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Parse(blob); err != nil {
			b.Fatal(err)
		}
	}
}
