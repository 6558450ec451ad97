// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bytes"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gostap/elaborate/internal/testkernel"
	"gostap/internal/cache"
)

func TestModule(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	for _, release := range testkernel.Releases(t) {
		k, err := Open(release)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := k.Modules()
		if err != nil || len(tree) < 1000 {
			t.Fatalf("%d modules, %v", len(tree), err)
		}
		if got := tree.Glob("virtio-sc*i"); !slices.Equal(got, []string{"virtio_scsi"}) {
			t.Errorf("virtio-sc*i: %q", got)
		}
		if near := tree.Nearest("overlya", 1); !slices.Equal(near, []string{"overlay"}) {
			t.Errorf("near overlya: %q", near)
		}
		for range 2 { // the second time from the cache
			m, err := OpenModule(tree["kvm"])
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(m.BTFPath()); err != nil || info.Size() < 10000 {
				t.Errorf("the module's BTF: %v", err)
			}
			for _, c := range []struct {
				name     string
				refusal  Refusal
				exported bool
			}{{"kvm_vcpu_ioctl", Probeable, false}, {"kvm_vcpu_kick", Probeable, false}, {"kvm_get_kvm", Probeable, true}, {"kvm_x86_init", ModuleInit, false}} {
				list := m.Lookup(c.name)
				if len(list) != 1 || list[0].Refusal != c.refusal || c.exported && !list[0].Exported || list[0].Size == 0 || !list[0].Ftrace {
					t.Errorf("%s: %s: %+v", release, c.name, list)
				}
			}
			points, err := m.Tracepoints()
			if found := MatchTracepoints(points, "kvm:kvm_exit"); err != nil || len(found) != 1 || found[0].Module != "kvm" {
				t.Errorf("%s: kvm:kvm_exit: %v, %v", release, found, err)
			}
		}
	}
}

// TestReadTwice: cached modules take no mappings or descriptors, of which a process has a limited
// number.
func TestReadTwice(t *testing.T) {
	k, err := Open(testkernel.Releases(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	tree, err := k.Modules()
	if err != nil {
		t.Fatal(err)
	}
	names := tree.Glob("virtio*")
	mapped := func() int {
		if err := tree.Read(names); err != nil {
			t.Fatal(err)
		}
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(maps, []byte(cache.Path("modules")))
	}
	if before, after := mapped(), mapped(); len(names) == 0 || after > before {
		t.Errorf("%d modules: %d mappings, then %d", len(names), before, after)
	}
}

func TestNoModule(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	dir := t.TempDir()
	for name, content := range map[string]string{"empty.ko": "", "text.ko": "hello", "elf.ko": "\x7fELF", "bad.ko.xz": "\xfd7zXZ\x00xx", "bad.ko.gz": "\x1f\x8bxx", "bad.ko.zst": "\x28\xb5\x2f\xfdxx"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenModule(path); err == nil {
			t.Errorf("%s is a module", name)
		}
	}
	if _, err := OpenModule(filepath.Join(dir, "none.ko")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// smallModule returns the file of a small module with tracepoints.
func smallModule(t testing.TB, release string) []byte {
	file, err := readModule(pathOf(t, release, "zonefs"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// pathOf returns the path of an installed module.
func pathOf(t testing.TB, release, module string) string {
	t.Helper()
	k, err := Open(release)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := k.Modules()
	if err != nil {
		t.Fatal(err)
	}
	return tree[module]
}

// swallowModule reads a module, damaged or not.
func swallowModule(file []byte) {
	m, err := parseModule(file)
	if err != nil {
		return
	}
	encodeIndex(m.functions(), 0, len(m.data(".BTF")))
	encodeTracepoints(m.tracepoints(), 0)
	openCode(encodeCode(m.code(12)), 0)
}

func TestDamagedModule(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for _, release := range testkernel.Releases(t) {
		file := smallModule(t, release)
		for n := 0; n < len(file); n += 1 + len(file)/300 {
			swallowModule(file[:n])
		}
		for range 1000 {
			damaged := slices.Clone(file)
			for range 1 + random.Intn(8) {
				damaged[random.Intn(len(damaged))] = byte(random.Int())
			}
			swallowModule(damaged)
		}
	}
}

func FuzzModule(f *testing.F) {
	for _, release := range testkernel.Releases(f) {
		f.Add(smallModule(f, release))
	}
	f.Fuzz(func(t *testing.T, file []byte) { swallowModule(file) })
}
