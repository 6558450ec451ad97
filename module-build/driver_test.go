// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestDriverCommands(t *testing.T) {
	const gcc12 = `Using built-in specs.
COLLECT_GCC_OPTIONS='-O2' '-pipe'
 /usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet /w/script.c -dumpdir /w/ -dumpbase script.c "-std=gnu11" -o - |
 as --64 -o /w/script.o
`
	want := [][]string{
		{"/usr/lib/gcc/x86_64-linux-gnu/12/cc1", "-quiet", "{work}/script.c", "-dumpdir", "{work}/", "-dumpbase", "script.c", "-std=gnu11", "-o", "-"},
		{"as", "--64", "-o", "{work}/script.o"},
	}
	if got := driverCommands(gcc12, "/w"); !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, other := range []string{"", "clang version 14\n \"/usr/bin/clang\" \"-cc1\" \"-o\" \"/w/script.o\"\n", " cc1\n collect2\n", " cc1\n as\n collect2\n"} {
		if got := driverCommands(other, "/w"); got != nil {
			t.Errorf("%q is taken for %q", other, got)
		}
	}
}

// The object is gcc's own, whether gcc, its compiler and assembler, or gcc after these have failed, make it.
func TestWithoutDriver(t *testing.T) {
	release := releases(t)[0]
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	req := testRequest(t, release)
	build(t, req)
	path, err := filepath.Glob(filepath.Join(os.Getenv("GOSTAP_CACHE"), "kernel", "*", "runtime.json"))
	if err != nil || len(path) != 1 {
		t.Fatal(path, err)
	}
	recorded, err := os.ReadFile(path[0])
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	object := func(change func(*kernelRuntime)) []byte {
		rt := &kernelRuntime{dir: filepath.Dir(path[0]), work: filepath.Join(t.TempDir(), "work")}
		if err := json.Unmarshal(recorded, rt); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(rt.work, 0o755); err != nil {
			t.Fatal(err)
		}
		change(rt)
		file := filepath.Join(rt.work, "script.o")
		flags := []string{"-I" + filepath.Join(rt.dir, "include"), "-DMAXSTRINGLEN=512"}
		if err := rt.compileScript(ctx, flags, req.C, rt.work); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{file, filepath.Join(rt.work, "script.su")} {
			if data, err := os.ReadFile(name); err != nil || len(data) == 0 {
				t.Errorf("%s: %v, %d bytes", name, err, len(data))
			}
		}
		data, _ := os.ReadFile(file)
		return data
	}
	direct := object(func(rt *kernelRuntime) {
		if rt.Pipe == nil {
			t.Fatal("nothing is known of gcc's compiler")
		}
	})
	for name, other := range map[string][]byte{
		"gcc":               object(func(rt *kernelRuntime) { rt.Pipe = nil }),
		"no compiler":       object(func(rt *kernelRuntime) { rt.Pipe[0][0] = "/nonexistent/cc1" }),
		"no assembler":      object(func(rt *kernelRuntime) { rt.Pipe[1][0] = "/nonexistent/as" }),
		"failing compiler":  object(func(rt *kernelRuntime) { rt.Pipe[0] = []string{"false"} }),
		"failing assembler": object(func(rt *kernelRuntime) { rt.Pipe[1] = []string{"false"} }),
	} {
		if !bytes.Equal(direct, other) {
			t.Errorf("%s: another object, of %d bytes, not %d", name, len(other), len(direct))
		}
	}
}
