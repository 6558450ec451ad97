// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pkg/errors"
)

// put copies a file into a root.
func put(t *testing.T, from, root, path string) string {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestFinder(t *testing.T) {
	whole := compiled(t)
	id, err := BuildID(whole)
	if err != nil {
		t.Fatal(err)
	}
	debug := filepath.Join(t.TempDir(), "shapes.debug")
	run(t, "objcopy", "--only-keep-debug", whole, debug)
	stripped := filepath.Join(t.TempDir(), "shapes")
	run(t, "objcopy", "--strip-debug", "--add-gnu-debuglink="+debug, whole, stripped)

	for _, path := range []string{
		"/usr/lib/debug/boot/vmlinux-6.1", "/usr/lib/debug/lib/modules/6.1/vmlinux", "/lib/modules/6.1/build/vmlinux",
		"/usr/lib/debug/.build-id/" + id[:2] + "/" + id[2:] + ".debug",
	} {
		root := t.TempDir()
		want := put(t, debug, root, path)
		f := &Finder{Root: root}
		if got, err := f.Kernel("6.1", id); got != want || err != nil {
			t.Errorf("%s: found %q, %v", path, got, err)
		}
	}

	// The headers of Debian's kernels since 7 have a vmlinux that contains only BTF.
	bare := filepath.Join(t.TempDir(), "bare")
	run(t, "objcopy", "--strip-debug", "--remove-section=.note.gnu.build-id", whole, bare)
	headers := t.TempDir()
	put(t, bare, headers, "/lib/modules/6.1/build/vmlinux")
	if got, err := (&Finder{Root: headers}).Kernel("6.1", id); !errors.Is(err, ErrNone) {
		t.Errorf("with nothing but BTF: found %q, %v", got, err)
	}

	root := t.TempDir()
	put(t, stripped, root, "/boot/vmlinux-6.1")
	f := &Finder{Root: root}
	if got, err := f.Kernel("6.1", id); !errors.Is(err, ErrNone) {
		t.Errorf("without debuginfo: found %q, %v", got, err)
	}
	want := put(t, debug, root, "/usr/lib/debug/boot/shapes.debug") // the file that .gnu_debuglink refers to
	if got, err := f.Kernel("6.1", id); got != want || err != nil {
		t.Errorf(".gnu_debuglink: found %q, %v", got, err)
	}

	root = t.TempDir()
	put(t, debug, root, "/usr/lib/debug/boot/vmlinux-6.1")
	other := strings.Repeat("ab", 20)
	_, err = (&Finder{Root: root}).Kernel("6.1", other)
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), id) || !strings.Contains(err.Error(), other) {
		t.Errorf("another build: %v", err)
	}

	root = t.TempDir()
	want = put(t, whole, root, "/usr/lib/debug/lib/modules/6.1/kernel/fs/shapes.ko")
	if got, err := (&Finder{Root: root}).Module(root+"/lib/modules/6.1/kernel/fs/shapes.ko.xz", id); got != want || err != nil {
		t.Errorf("module: found %q, %v", got, err)
	}
	for _, tool := range []string{"xz", "gzip"} {
		packed := put(t, stripped, t.TempDir(), "shapes.ko")
		run(t, tool, packed)
		if got, err := BuildID(packed + map[string]string{"xz": ".xz", "gzip": ".gz"}[tool]); got != id || err != nil {
			t.Errorf("%s: build-id %q, %v; want %s", tool, got, err, id)
		}
	}
}

// TestOtherFolder: a cached index is not used for debuginfo that is in none of the searched folders.
func TestOtherFolder(t *testing.T) {
	whole := compiled(t)
	id, err := BuildID(whole)
	if err != nil {
		t.Fatal(err)
	}
	one, other := t.TempDir(), t.TempDir()
	index := filepath.Join(t.TempDir(), "index")
	load := func(debug string) (string, error) {
		f := &Finder{Debug: debug}
		info, err := f.Load(index, func() (string, error) { return f.Kernel("6.1", id) }, func(int64, int64) {})
		if err != nil {
			return "", err
		}
		return info.Path(), nil
	}
	want := put(t, whole, one, "/boot/vmlinux-6.1")
	if got, err := load(one); got != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := load(other); !errors.Is(err, ErrNone) {
		t.Errorf("a folder without debuginfo: got %q, %v", got, err)
	}
	if got, err := load(""); !errors.Is(err, ErrNone) {
		t.Errorf("/usr/lib/debug: got %q, %v", got, err)
	}
	want = put(t, whole, other, "/boot/vmlinux-6.1")
	if got, err := load(other); got != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestDebuginfod(t *testing.T) {
	path := compiled(t)
	id, err := BuildID(path)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch r.URL.Path {
		case "/buildid/" + id + "/debuginfo", "/buildid/" + strings.Repeat("cd", 20) + "/debuginfo":
			http.ServeFile(w, r, path)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	f := &Finder{Root: t.TempDir(), URLs: []string{"http://127.0.0.1:1/", server.URL + "/"}, Cache: t.TempDir()}
	for range 2 {
		got, err := f.Kernel("6.1", id)
		if err != nil {
			t.Fatal(err)
		}
		checkFunctions(t, loaded(t, got))
	}
	if asked != 1 {
		t.Errorf("the server was asked %d times", asked)
	}
	f.URLs = nil
	if _, err := f.Kernel("6.1", id); err != nil {
		t.Errorf("what a server has sent, without servers: %v", err)
	}
	f.URLs = []string{server.URL}
	if _, err := f.Kernel("6.1", strings.Repeat("ab", 20)); !errors.Is(err, ErrNone) {
		t.Errorf("what the server does not have: %v", err)
	}
	if _, err := f.Kernel("6.1", strings.Repeat("cd", 20)); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("a server that lies: %v", err)
	}
}

func TestSupplement(t *testing.T) {
	if _, err := os.Stat("/usr/bin/dwz"); err != nil {
		t.Skip("dwz is not installed: tests/setup test")
	}
	dir := t.TempDir()
	a, b := put(t, compiled(t), dir, "a"), put(t, compiled(t, "-DTWIN"), dir, "b")
	run(t, "dwz", "-m", filepath.Join(dir, "common"), "-M", filepath.Join(dir, "common"), a, b)
	info := loaded(t, a)
	checkFunctions(t, info)
	checkVariables(t, info)
	if f, err := info.file(); err != nil || f.alt == nil {
		t.Fatalf("no supplement was used: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "common")); err != nil {
		t.Fatal(err)
	}
	_, err := (&Finder{}).Load(filepath.Join(dir, "index"), func() (string, error) { return a, nil }, func(int64, int64) {})
	if err == nil || !strings.Contains(err.Error(), "common") {
		t.Errorf("without its supplement: %v", err)
	}
}
