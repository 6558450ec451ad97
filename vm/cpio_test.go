// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

func TestCpio(t *testing.T) {
	var b bytes.Buffer
	c := cpioWriter{w: &b}
	c.add("d", cpioDir, nil)
	c.add("d/file", cpioRegular, []byte("hello"))
	c.add("d/link", cpioSymlink, []byte("file"))
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	if b.Len()%4 != 0 {
		t.Errorf("%d bytes: another archive can't follow", b.Len())
	}
	first := "070701" + "00000001" + "000041ed" + "00000000" + "00000000" + "00000002" + "00000000" + "00000000" +
		"00000000" + "00000000" + "00000000" + "00000000" + "00000002" + "00000000" + "d\x00"
	if !strings.HasPrefix(b.String(), first) {
		t.Errorf("first header %q, want %q", b.String()[:len(first)], first)
	}
	cpio, err := exec.LookPath("cpio")
	if err != nil {
		t.Fatal("no cpio to read the archive with")
	}
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", cpio+" -i --quiet && cat d/link && test $(stat -c %a d/file) = 644")
	cmd.Dir = dir
	cmd.Stdin = &b
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "hello" {
		t.Errorf("cpio: %v, %q", err, out)
	}
}
