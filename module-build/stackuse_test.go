// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFrames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.su")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a:b.stp:3:1:probe_0\t48\tstatic\na.c:9:1:fn_f.constprop.0\t16\tstatic\na.c:9:1:fn_f\t100\tdynamic,bounded\na.c:1:1:h\t8\tstatic\n")
	f, err := readFrames(file)
	if err != nil || len(f) != 3 || f["probe_0"] != 48 || f["fn_f"] != 116 || f["h"] != 8 {
		t.Errorf("%v, %v", f, err)
	}
	if n := (frames{"a": 1, "b": 20, "c": 300, "d": 4000}).helpers(); n != 4320 {
		t.Errorf("helpers: %d", n)
	}
	for text, want := range map[string]string{
		"a.c:1:1:f\t16\tdynamic\n": "has no bound",
		"a.c:1:1:f 16 static\n":    "not as gcc writes it",
	} {
		write(text)
		if _, err := readFrames(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestWriteStackUse compiles functions with known large frames and reads the values in the object.
func TestWriteStackUse(t *testing.T) {
	dir := t.TempDir()
	source, object := filepath.Join(dir, "x.c"), filepath.Join(dir, "x.o")
	c := `void use(char *);
	void small(void) { char a[100]; use(a); }
	void large(void) { char a[5000]; use(a); small(); }
	static void __attribute__((noinline)) helper(void) { char a[700]; use(a); }
	void calls_helper(void) { helper(); }
	const volatile unsigned int gs_stack_use[2] __attribute__((section(".data")));`
	if err := os.WriteFile(source, []byte(c), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-O1", "-c", "-fstack-usage", "-o", object, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	req := &Request{StackUse: func(frame func(string) int) []int {
		return []int{frame("small"), frame("large") + frame("small") + frame("calls_helper")}
	}}
	if err := req.writeStackUse(object, 10000, stackFiles([]string{object})...); err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := f.Section(".data").Data()
	if err != nil || len(data) < 8 {
		t.Fatal(data, err)
	}
	for i, least := range []uint32{10800, 15800} {
		if got := binary.NativeEndian.Uint32(data[4*i:]); got < least || got > least+300 {
			t.Errorf("probe %d: %d, want from %d to %d", i, got, least, least+300)
		}
	}
	if err := setStackUse(object, []int{1}); err == nil {
		t.Error("one value for two probes was taken")
	}
}
