// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"archive/tar"
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/internal/testkernel"
	"gostap/tapsets"
	"gostap/translator/syntax"
)

func TestNarrower(t *testing.T) {
	for _, c := range []struct {
		inner, outer string
		want         bool
	}{
		{"vfs_read@fs/read_write.c", "vfs_read@fs/read_write.c:*", true},
		{"vfs_read@fs/read_write.c:462", "*@fs/read_write.c:*", true},
		{"vfs_*@fs/read_write.c", "vfs_*@fs/read_write.c", true},
		{"vfs_r*@fs/read_write.c", "vfs_*@fs/*.c", true},
		{"vfs_read@fs/*.c", "vfs_*@fs/*.c", true},
		{"vfs_read@fs/read_write.c", "vfs_read", true},
		{"vfs_read@fs/read_write.c", "vfs_read@read_write.c", true},
		{"vfs_?ead", "vfs_?ead", true},
		{"vfs_read", "vfs_read@fs/read_write.c", false},
		{"vfs_read@fs/*.c", "vfs_read@fs/read_write.c", false},
		{"*@fs/read_write.c", "vfs_*@fs/read_write.c", false},
		{"vfs_*@fs/read_write.c", "vfs_????@fs/read_write.c", false},
		{"v*", "v?", false},
		{"vfs_read@read_write.c", "vfs_read@fs/read_write.c", false},
		{"vfs_read", "", false},
		{"", "vfs_read", false},
	} {
		if got := narrower(c.inner, c.outer); got != c.want {
			t.Errorf("narrower(%q, %q) is %v", c.inner, c.outer, got)
		}
	}
}

// hold has the probe cache hold points of a kernel.
func hold(t *testing.T, release string, texts ...string) {
	t.Helper()
	env := &syntax.Env{KernelVR: release, Arch: "x86_64", Runtime: "kernel", StapVersion: "4.8"}
	lib, diags := LoadLibrary(env, Folder{tapsets.FS, "tapset"})
	if diags = append(diags, Hold(parsed(t, texts...), lib, NewTarget(release, false))...); diags.Err() != nil {
		t.Fatal(diags)
	}
}

func parsed(t *testing.T, texts ...string) (points []*syntax.ProbePoint) {
	t.Helper()
	for _, text := range texts {
		list, diags := syntax.ParseProbePoint(text, &syntax.Env{})
		if diags.Err() != nil {
			t.Fatal(diags)
		}
		points = append(points, list...)
	}
	return points
}

// spelledProbes spells all points and values of a script.
func spelledProbes(t *testing.T, release, script string) (string, error) {
	t.Helper()
	e, diags := onDebuginfo(t, release, script)
	if err := diags.Err(); err != nil {
		return "", err
	}
	var out strings.Builder
	for _, p := range e.Probes {
		for _, pt := range p.Points {
			fmt.Fprintf(&out, "%s %s %s+%d\n", pt.Name, pt.Module, pt.Symbol, pt.Offset)
		}
		fmt.Fprintln(&out, values(p))
	}
	return out.String(), nil
}

// TestHeldModule keeps points of a module and uses them without debuginfo.
func TestHeldModule(t *testing.T) {
	release := withDebuginfo(t)
	whole := NewTarget(release, false)
	module, d := whole.oneModule(syntax.Pos{}, "kvm")
	if d != nil {
		t.Fatal(d)
	}
	if _, err := module.debuginfo.local(); err != nil {
		t.Skipf("no debuginfo of module kvm is installed: %v", err)
	}
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	again := filepath.Join(t.TempDir(), filepath.Base(module.Path))
	if err := os.Symlink(module.Path, again); err != nil {
		t.Fatal(err)
	}
	const script = `probe module("kv[m]").statement("kvm_vcpu_ioctl@*/kvm_main.c:*") { print($$vars) }
		probe module("kvm").function("kvm_vcpu_kick@virt/kvm/kvm_main.c").return { print($vcpu->vcpu_id) }
		probe begin { print(@var("kvm_rebooting@virt/kvm/kvm_main.c", "kvm")) }`
	want, err := spelledProbes(t, release, script)
	if err != nil {
		t.Fatal(err)
	}
	hold(t, release, `module("kvm").statement("*@virt/kvm/kvm_main.c:*")`, `module("kvm").statement("*@virt/kvm/eventfd.c:*")`)
	lib, _ := LoadLibrary(&syntax.Env{}, Folder{tapsets.FS, "tapset"})
	if diags := Hold(parsed(t, `module("kvm").function("*@virt/kvm/eventfd.c").call`, fmt.Sprintf(`module(%q).function("*@virt/kvm/eventfd.c").call`, again)), lib, NewTarget(release, false)); diags.Err() == nil || !strings.Contains(diags.Err().Error(), "keeps one module kvm, and there are two") {
		t.Errorf("two files of one module: %v", diags)
	}
	packed, err := NewTarget(release, false).ExportHeld()
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
	if _, err := spelledProbes(t, release, script); err == nil || !strings.Contains(err.Error(), "debuginfo of module kvm, which is not installed") {
		t.Errorf("nothing held: %v", err)
	}
	target := NewTarget(release, false)
	cut := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(cut, packed[:len(packed)-1024], 0o666); err != nil {
		t.Fatal(err)
	}
	if list, err := target.ImportHeld(cut); err == nil || !strings.Contains(err.Error(), "or not all of it") {
		t.Errorf("cut behind its last file: %v, %v", list, err)
	}
	list, err := target.ImportHeld(file)
	if err != nil || len(list) != 1 || list[0].Module != "kvm" || len(list[0].Points) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	got, err := spelledProbes(t, release, strings.ReplaceAll(script, "@*/kvm_main.c", "@virt/kvm/kvm_main.c"))
	if err != nil || got != want {
		t.Errorf("%v\n got  %s\n want %s", err, got, want)
	}
	_, err = spelledProbes(t, release, `probe module("kvm").function("kvm_get_kvm@arch/x86/kvm/x86.c") { }`)
	if err == nil || !strings.Contains(err.Error(), `the probe cache holds something else for module kvm: module("kvm").statement("*@virt/kvm/eventfd.c:*"), module(`) {
		t.Errorf("not held: %v", err)
	}

	// The module of another build than what is held: of the last byte of its build-id.
	id, err := dwarf.BuildID(module.Path)
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
	if _, err := target.ImportHeld(file); !errors.As(err, &mismatch) || mismatch.Want != id || !strings.Contains(err.Error(), "module kvm: ") {
		t.Errorf("another build's: %v", err)
	}
	kept, err := os.ReadFile(list[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list[0].Path, bytes.ReplaceAll(kept, raw, other), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = spelledProbes(t, release, script)
	if err == nil || !strings.Contains(err.Error(), "the probe cache holds what has changed since") || !strings.Contains(err.Error(), "is of another build: it has build-id") {
		t.Errorf("held of another build: %v", err)
	}
	if err := target.RemoveHeld(); err != nil {
		t.Error(err)
	}
	if list, err := target.Held(); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestNothingToImport is about files that ExportHeld has not made.
func TestNothingToImport(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	target := NewTarget(testkernel.Releases(t)[0], false)
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
		if list, err := target.ImportHeld(file); err == nil || !strings.Contains(err.Error(), "is not what gostap probe-cache --export writes") {
			t.Errorf("%.20q: %v, %v", content, list, err)
		}
	}
}
