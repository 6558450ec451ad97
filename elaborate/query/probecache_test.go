// SPDX-License-Identifier: GPL-2.0-or-later

package query_test

import (
	"archive/tar"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/library"
	"gostap/elaborate/probecache"
	"gostap/elaborate/query"
	"gostap/tapsets"
	"gostap/translator/syntax"
)

// probeCache returns a target's probe cache.
func probeCache(t *testing.T, target *image.Target) *probecache.Cache {
	t.Helper()
	cache, err := target.ProbeCache()
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

// TestKeepModule keeps points of a module and uses them without debuginfo.
func TestKeepModule(t *testing.T) {
	release := elaborated.WithDebuginfo(t)
	whole := image.NewTarget(release, false)
	module, d := whole.OneModule(syntax.Pos{}, "kvm")
	if d != nil {
		t.Fatal(d)
	}
	if module.Debuginfo().Installed(nil) == nil {
		t.Skip("no debuginfo of module kvm is installed")
	}
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	again := filepath.Join(t.TempDir(), filepath.Base(module.File.Path))
	if err := os.Symlink(module.File.Path, again); err != nil {
		t.Fatal(err)
	}
	const script = `probe module("kv[m]").statement("kvm_vcpu_ioctl@*/kvm_main.c:*") { print($$vars) }
		probe module("kvm").function("kvm_vcpu_kick@virt/kvm/kvm_main.c").return { print($vcpu->vcpu_id) }
		probe begin { print(@var("kvm_rebooting@virt/kvm/kvm_main.c", "kvm")) }`
	want, err := elaborated.SpelledProbes(t, release, script)
	if err != nil {
		t.Fatal(err)
	}
	elaborated.Keep(t, release, `module("kvm").statement("*@virt/kvm/kvm_main.c:*")`, `module("kvm").statement("*@virt/kvm/eventfd.c:*")`)
	lib, _ := library.Load(&syntax.Env{}, library.Folder{FS: tapsets.FS, Path: "tapset"})
	if diags := query.Keep(elaborated.ParsePoints(t, `module("kvm").function("*@virt/kvm/eventfd.c").call`, fmt.Sprintf(`module(%q).function("*@virt/kvm/eventfd.c").call`, again)), lib, image.NewTarget(release, false)); diags.Err() == nil || !strings.Contains(diags.Err().Error(), "keeps one module kvm, and there are two") {
		t.Errorf("two files of one module: %v", diags)
	}
	packed, err := probeCache(t, whole).Export()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "packed")
	if err := os.WriteFile(file, packed, 0o666); err != nil {
		t.Fatal(err)
	}

	// Another machine.
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	t.Setenv("GOSTAP_DEBUGINFO", t.TempDir())
	if _, err := elaborated.SpelledProbes(t, release, script); err == nil || !strings.Contains(err.Error(), "debuginfo of module kvm, which is not installed") {
		t.Errorf("nothing held: %v", err)
	}
	target := image.NewTarget(release, false)
	cache := probeCache(t, target)
	cut := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(cut, packed[:len(packed)-1024], 0o666); err != nil {
		t.Fatal(err)
	}
	if list, err := cache.Import(cut, target.ModuleBuildID); err == nil || !strings.Contains(err.Error(), "or not all of it") {
		t.Errorf("cut behind its last file: %v, %v", list, err)
	}
	list, err := cache.Import(file, target.ModuleBuildID)
	if err != nil || len(list) != 1 || list[0].Module != "kvm" || len(list[0].Points) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	got, err := elaborated.SpelledProbes(t, release, strings.ReplaceAll(script, "@*/kvm_main.c", "@virt/kvm/kvm_main.c"))
	if err != nil || got != want {
		t.Errorf("%v\n got  %s\n want %s", err, got, want)
	}
	_, err = elaborated.SpelledProbes(t, release, `probe module("kvm").function("kvm_get_kvm@arch/x86/kvm/x86.c") { }`)
	if err == nil || !strings.Contains(err.Error(), `the probe cache holds something else for module kvm: module("kvm").statement("*@virt/kvm/eventfd.c:*"), module(`) {
		t.Errorf("not held: %v", err)
	}

	// The module of a build other than the cached one: the build-id differs in its last byte.
	id, err := dwarf.BuildID(module.File.Path)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := hex.DecodeString(id)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Clone(raw)
	other[len(other)-1] ^= 1
	if err := os.WriteFile(file, bytes.ReplaceAll(packed, raw, other), 0o666); err != nil {
		t.Fatal(err)
	}
	var mismatch *dwarf.MismatchError
	if _, err := cache.Import(file, target.ModuleBuildID); !errors.As(err, &mismatch) || mismatch.Want != id || !strings.Contains(err.Error(), "module kvm: ") {
		t.Errorf("another build's: %v", err)
	}
	kept, err := os.ReadFile(list[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list[0].Path, bytes.ReplaceAll(kept, raw, other), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = elaborated.SpelledProbes(t, release, script)
	if err == nil || !strings.Contains(err.Error(), "the probe cache holds what has changed since") || !strings.Contains(err.Error(), "is of another build: it has build-id") {
		t.Errorf("held of another build: %v", err)
	}
	if err := cache.Remove(); err != nil {
		t.Error(err)
	}
	if list, err := cache.Entries(); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestNothingToImport has files that Export has not written.
func TestNothingToImport(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	target := image.NewTarget(testkernel.Releases(t)[0], false)
	cache := probeCache(t, target)
	archive := func(name, content string) string {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))})
		w.Write([]byte(content))
		w.Close()
		return out.String()
	}
	for _, content := range []string{"", "text", archive("ab.debug", "text"), archive("ab/../../c.debug", "x"), archive("ab/...debug", "x"), archive("../c.debug", "x")} {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if list, err := cache.Import(file, target.ModuleBuildID); err == nil || !strings.Contains(err.Error(), "is not what gostap probe-cache --export writes") {
			t.Errorf("%.20q: %v, %v", content, list, err)
		}
	}
}
