// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"time"

	"gostap/internal/linetable"
)

// testSymbols returns a symbolizer for a text of kallsyms, and the number of times that it was read.
func testSymbols(kallsyms *string) (*symbolizer, *int) {
	reads := new(int)
	return &symbolizer{now: time.Now, open: func() (io.ReadCloser, error) {
		*reads++
		return io.NopCloser(strings.NewReader(*kallsyms)), nil
	}}, reads
}

const stackKallsyms = `0000000000012340 A cpu_number
ffffffff81000000 T _stext
ffffffff81000100 t read_alias
ffffffff81000100 T vfs_read
ffffffff81000410 T vfs_write
ffffffff82000000 D _edata
ffffffffc0003000 t second	[two]
ffffffffc0001010 t first	[one]
ffffffffc0001200 T last	[one]
`

func TestSymbols(t *testing.T) {
	text := stackKallsyms
	syms, reads := testSymbols(&text)
	for _, c := range []struct {
		addr uint64
		want string
	}{
		{0xffffffff81000100, "read_alias+0x0/0x310 [kernel]"},
		{0xffffffff81000205, "read_alias+0x105/0x310 [kernel]"},
		{0xffffffff8100040f, "read_alias+0x30f/0x310 [kernel]"},
		{0xffffffff81000410, "vfs_write+0x0/0xfffbf0 [kernel]"},
		{0xffffffffc0001011, "first+0x1/0x1f0 [one]"},
		{0xffffffffc0001200, "last+0x0/0xe00 [one]"},
		{0xffffffffc0003004, "second+0x4 [two]"},
		{0xffffffffc0002000, ""}, // behind the end of a module
		{0xffffffff82001000, ""}, // behind the end of the kernel
		{0x12340, ""},
		{0xffffffffffffffff, ""},
	} {
		got := ""
		if p, ok := syms.find(c.addr); ok {
			got = string(appendModule(appendSymbolOffset(nil, &p), &p))
		}
		if got != c.want {
			t.Errorf("%#x is %q, want %q", c.addr, got, c.want)
		}
	}
	if *reads != 1 {
		t.Errorf("kallsyms was read %d times", *reads)
	}
	text += "ffffffffc0009000 t third\t[three]\n"
	syms.now = func() time.Time { return time.Now().Add(2 * reread) }
	if p, ok := syms.find(0xffffffffc0009000); !ok || string(p.name) != "third" {
		t.Error("a module that was loaded later is not found")
	}
}

// If reading kallsyms takes long, it is rarely read again for unknown addresses.
func TestSymbolsSlow(t *testing.T) {
	text, clock := stackKallsyms, time.Now()
	syms, reads := testSymbols(&text)
	open := syms.open
	syms.open = func() (io.ReadCloser, error) {
		clock = clock.Add(5 * time.Second)
		return open()
	}
	syms.now = func() time.Time { return clock }
	for range 40 {
		syms.find(0x1234)
		clock = clock.Add(time.Second)
	}
	if *reads != 1 {
		t.Errorf("kallsyms, which takes 5 s to read, was read %d times in 40 s", *reads)
	}
	clock = clock.Add(20 * time.Second)
	if syms.find(0x1234); *reads != 2 {
		t.Errorf("a minute later it was read %d times", *reads)
	}
}

func stackPayload(flags uint32, addrs ...uint64) []byte {
	b := binary.LittleEndian.AppendUint32(nil, flags)
	for _, a := range addrs {
		b = binary.LittleEndian.AppendUint64(b, a)
	}
	return b
}

func TestStackText(t *testing.T) {
	text := stackKallsyms
	syms, reads := testSymbols(&text)
	s := &stackPrinter{symbols: syms, texts: map[string]string{}}
	payload := stackPayload(stackReturn, 0xffffffff81000100, 0xffffffff81000411, 0xffffffffc0001011)
	want := "Returning from:  0xffffffff81000100 : read_alias+0x0/0x310 [kernel]\n" +
		"Returning to  :  0xffffffff81000411 : vfs_write+0x1/0xfffbf0 [kernel]\n" +
		" 0xffffffffc0001011 : first+0x1/0x1f0 [one]\n"
	for range 2 {
		if got, ok := s.append([]byte("x"), payload); !ok || string(got) != "x"+want {
			t.Errorf("got %q, %v", got, ok)
		}
	}
	if got, _ := s.append(nil, stackPayload(0, 0x1234)); string(got) != " 0x1234\n" {
		t.Errorf("an unknown address is %q", got)
	}
	if *reads != 1 || len(s.texts) != 1 {
		t.Errorf("%d reads, %d stacks kept", *reads, len(s.texts))
	}
	for _, bad := range [][]byte{nil, {1, 2}, make([]byte, 11)} {
		if got, ok := s.append(nil, bad); ok {
			t.Errorf("%v is %q", bad, got)
		}
	}
}

// With lines: that of the call, not of the return address; modules have none.
func TestStackLines(t *testing.T) {
	text := stackKallsyms
	syms, _ := testSymbols(&text)
	var b linetable.Builder
	b.Add(0x100, "fs/read_write.c", 450)
	b.Add(0x200, "fs/read_write.c", 460)
	b.Add(0x411, "fs/read_write.c", 500)
	b.Add(0x500, "", 0)
	syms.lines = &kernelLines{b.Table(), 0xffffffff81000000}
	payload := stackPayload(stackLines, 0xffffffff81000100, 0xffffffff81000411, 0xffffffff81000501, 0xffffffffc0001011)
	want := " 0xffffffff81000100 : read_alias+0x0/0x310 at fs/read_write.c:450 [kernel]\n" +
		" 0xffffffff81000411 : vfs_write+0x1/0xfffbf0 at fs/read_write.c:460 [kernel]\n" +
		" 0xffffffff81000501 : vfs_write+0xf1/0xfffbf0 [kernel]\n" +
		" 0xffffffffc0001011 : first+0x1/0x1f0 [one]\n"
	s := &stackPrinter{symbols: syms, texts: map[string]string{}}
	if got, ok := s.append(nil, payload); !ok || string(got) != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got, _ := s.append(nil, stackPayload(0, 0xffffffff81000100)); strings.Contains(string(got), " at ") {
		t.Errorf("lines that were not asked for: %q", got)
	}
	flags, addrs, _ := stackRecord(stackPayload(stackLines, 0xffffffff81000100))
	want = `,"stack":[{"address":"0xffffffff81000100","symbol":"read_alias","offset":0,"module":"kernel","file":"fs/read_write.c","line":450}]`
	if got := string(appendJSONStack(nil, syms, flags, addrs)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestStackJSON(t *testing.T) {
	text := stackKallsyms
	syms, _ := testSymbols(&text)
	flags, addrs, _ := stackRecord(stackPayload(0, 0xffffffffc0001011, 0x1234))
	want := `,"stack":[{"address":"0xffffffffc0001011","symbol":"first","offset":1,"module":"one"},{"address":"0x1234"}]`
	if got := string(appendJSONStack(nil, syms, flags, addrs)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
