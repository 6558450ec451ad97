// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// assemble makes an ELF relocatable from assembler text.
func assemble(t *testing.T, text string) string {
	t.Helper()
	if _, err := exec.LookPath("as"); err != nil {
		t.Fatal("no assembler: apt install binutils")
	}
	object := filepath.Join(t.TempDir(), "x.ko")
	as := exec.Command("as", "-o", object, "-")
	as.Stdin = strings.NewReader(text)
	if out, err := as.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return object
}

const moduleText = `
	.section .gostap,"",@progbits
	.ascii "{\"Version\":3,\"Name\":\"hello\",\"Images\":[{}],\"Formats\":[{\"Format\":\"%%d\\n\",\"Args\":\"l\"}]}\0\0\0"
	.section .gnu.linkonce.this_module,"aw"
	.skip 24
1:	.asciz "hello"
	.skip 56 - (. - 1b)
	.quad -1
`

func TestReadManifest(t *testing.T) {
	m, err := ReadManifest(assemble(t, moduleText))
	if err != nil || m.Name != "hello" || len(m.Formats) != 1 {
		t.Errorf("%+v, %v", m, err)
	}
	for _, test := range []struct{ text, want string }{
		{"nop", "not made by gostap"},
		{`.section .gostap,"",@progbits; .ascii "{}"`, "another version"},
		{`.section .gostap,"",@progbits; .ascii "{"`, "section .gostap"},
	} {
		if _, err := ReadManifest(assemble(t, test.text+"\n")); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.text, err, test.want)
		}
	}
	if _, err := ReadManifest("/nowhere"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
	if _, err := ReadManifest("modulefile_test.go"); err == nil || !strings.Contains(err.Error(), "not a module") {
		t.Error(err)
	}
}

func TestRenameModule(t *testing.T) {
	image, err := os.ReadFile(assemble(t, moduleText))
	if err != nil {
		t.Fatal(err)
	}
	if err := renameModule(image, "hello", "hello_12345"); err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	this, err := f.Section(".gnu.linkonce.this_module").Data()
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 24+56)
	copy(want[24:], "hello_12345")
	want = append(want, 255, 255, 255, 255, 255, 255, 255, 255)
	if !bytes.Equal(this, want) {
		t.Errorf("%q", this)
	}
	if renameModule(image, "nothello", "x") == nil {
		t.Error("renamed a module that has another name")
	}
	if renameModule(image, "hello_12345", strings.Repeat("x", 56)) == nil {
		t.Error("took a name that is too long")
	}
}
