// SPDX-License-Identifier: GPL-2.0-or-later

package btf

import (
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/symbols"
)

// openModule opens a kernel's BTF and that of its module kvm.
func openModule(t testing.TB, release string) (base *Spec, path string) {
	k, err := symbols.Open(release)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := k.Modules()
	if err != nil {
		t.Fatal(err)
	}
	m, err := symbols.OpenModule(tree["kvm"])
	if err != nil {
		t.Fatal(err)
	}
	if base, err = Open(k.BTFPath()); err != nil {
		t.Fatal(err)
	}
	return base, m.BTFPath()
}

func TestSplit(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		base, path := openModule(t, release)
		s, err := base.OpenSplit(path)
		if err != nil {
			t.Fatal(err)
		}
		ids := s.Find("kvm_vcpu_ioctl", Function)
		if len(ids) != 1 || len(base.Find("kvm_vcpu_ioctl", Function)) != 0 {
			t.Fatalf("%s: kvm_vcpu_ioctl is %v", release, ids)
		}
		// Its own types, and the kernel's.
		p, ok := s.Proto(ids[0])
		if want := "long int kvm_vcpu_ioctl(struct file* filp, unsigned int ioctl, long unsigned int arg)"; !ok || Signature(s, "kvm_vcpu_ioctl", p) != want {
			t.Errorf("%s: %s", release, Signature(s, "kvm_vcpu_ioctl", p))
		}
		file := s.Find("file", Struct)
		if !slices.Equal(file, base.Find("file", Struct)) {
			t.Errorf("%s: struct file is %v", release, file)
		}
		for _, name := range []string{"x86_emulate_ops", "kvm_lapic"} {
			found := s.Find(name, Struct)
			if len(found) == 0 || found[len(found)-1] <= base.count() || len(s.Members(found[len(found)-1])) == 0 || s.Size(found[len(found)-1]) == 0 {
				t.Errorf("%s: struct %s is %v", release, name, found)
			}
		}
		if n, ok := s.Enumerator("PIDTYPE_TGID"); !ok || n != 1 {
			t.Errorf("PIDTYPE_TGID is %d, %v", n, ok)
		}
		last := base.count() + s.count()
		if s.Kind(last) == Unknown || s.Kind(last+1) != Unknown {
			t.Errorf("%s: the last types: %v, %v", release, s.Kind(last), s.Kind(last+1))
		}
	}
}

func TestDamagedSplit(t *testing.T) {
	base, path := openModule(t, testkernel.Releases(t)[0])
	blob, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewSource(1))
	dir := t.TempDir()
	for i := range 100 {
		damaged := slices.Clone(blob)
		for range 20 {
			damaged[random.Intn(len(damaged))] = byte(random.Int())
		}
		file := filepath.Join(dir, "btf")
		if err := os.WriteFile(file, damaged[:len(damaged)-i], 0o600); err != nil {
			t.Fatal(err)
		}
		os.Remove(file + ".index")
		s, err := base.OpenSplit(file)
		if err != nil {
			continue
		}
		for id := base.count(); id < base.count()+50; id++ {
			_ = s.String(id)
			s.Size(id)
			s.MemberNames(id)
			s.Find(s.Name(id), s.Kind(id))
		}
	}
}
