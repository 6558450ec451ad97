// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func writePerfMap(t *testing.T, dir string, pid int, text string) {
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("perf-%d.map", pid)), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Generated code is found in the process's map file, which grows while the process runs.
func TestPerfMap(t *testing.T) {
	dir, now := t.TempDir(), time.Unix(1000, 0)
	p := newPerfMaps()
	p.folders, p.now = []string{dir}, func() time.Time { return now }
	find := func(pid uint32, addr uint64) string {
		s, path, ok := p.find(pid, addr)
		if !ok {
			return "-"
		}
		return fmt.Sprintf("%s+%x/%x %s", s.Name, addr-s.Addr, s.Size, filepath.Base(path))
	}
	check := func(pid uint32, addr uint64, want string) {
		t.Helper()
		if got := find(pid, addr); got != want {
			t.Errorf("%#x of %d is %q, want %q", addr, pid, got, want)
		}
	}
	check(7, 0x1000, "-")
	writePerfMap(t, dir, 7, "1000 20 add ./sum.js:3\n2000 10 old\n0x2000 10 new\nnonsense\n3000 0 empty\n4000 10\n5000 8 a\x1b[31m\n")
	check(7, 0x1000, "-") // not read again before a second has passed
	now = now.Add(time.Second)
	check(7, 0x101f, "add ./sum.js:3+1f/20 perf-7.map")
	check(7, 0x1020, "-")
	check(7, 0x2000, "new+0/10 perf-7.map")
	check(7, 0x3000, "-")
	check(7, 0x4000, "-")
	check(7, 0x5001, "a?[31m+1/8 perf-7.map")
	check(8, 0x1000, "-")
	writePerfMap(t, dir, 7, "1000 20 other\n6000 10 more code\n")
	now = now.Add(time.Second)
	check(7, 0x6000, "more code+0/10 perf-7.map")
	check(7, 0x1000, "other+0/20 perf-7.map")
}

// Files that are not regular do not block, and links are not followed.
func TestPerfMapHostile(t *testing.T) {
	dir := t.TempDir()
	p := newPerfMaps()
	p.folders = []string{dir}
	if err := unix.Mkfifo(filepath.Join(dir, "perf-1.map"), 0o666); err != nil {
		t.Fatal(err)
	}
	writePerfMap(t, dir, 3, "1000 20 add\n")
	if err := os.Symlink("perf-3.map", filepath.Join(dir, "perf-2.map")); err != nil {
		t.Fatal(err)
	}
	for pid := uint32(1); pid <= 2; pid++ {
		if s, _, ok := p.find(pid, 0x1000); ok {
			t.Errorf("process %d has %v", pid, s)
		}
	}
}

// Generated code in a stack, as text and as JSON.
func TestPerfMapStack(t *testing.T) {
	dir := t.TempDir()
	writePerfMap(t, dir, 7, "7000 20 add\n")
	im := &images{perfMaps: newPerfMaps()}
	im.perfMaps.folders = []string{dir}
	payload := make([]byte, 8+2*frameSize)
	binary.LittleEndian.PutUint32(payload[4:], 7)
	for i, addr := range []uint64{0x7010, 0x9000} {
		binary.LittleEndian.PutUint64(payload[8+frameSize*i:], addr)
		binary.LittleEndian.PutUint32(payload[8+frameSize*i+8:], noImage)
	}
	got, ok := newUstackPrinter(im).append(nil, payload)
	if want := " 0x7010 : add+0x10/0x20 [" + dir + "/perf-7.map]\n 0x9000\n"; !ok || string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r, _ := ustackRecord(payload)
	want := `,"ustack":[{"address":"0x7010","symbol":"add","offset":16,"module":"` + dir + `/perf-7.map","linked":"0x7010"},{"address":"0x9000"}]`
	if got := string(appendJSONUstack(nil, im, r)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
