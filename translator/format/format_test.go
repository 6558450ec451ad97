// SPDX-License-Identifier: GPL-2.0-or-later

package format

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		format string
		offset int
		want   string
	}{
		{"%", 0, "ends in the middle of %"},
		{"abc%", 3, "ends in the middle of %"},
		{"%-5", 0, "ends in the middle of %-5"},
		{"%d %l", 3, "ends in the middle of %l"},
		{"%q", 0, "unknown conversion %q"},
		{"x %é", 2, "unknown conversion %é"},
		{"%hd", 0, "unknown conversion %h"},
		{"%llld", 0, "unknown conversion %lll"},
		{"%5%", 0, "unknown conversion %5%"},
		{"%1$d", 0, "unknown conversion %1$"},
		{"%99999999999999999999d", 0, "width in %99999999999999999999 is larger than 8192"},
		{"%.8193d", 0, "precision in %.8193 is larger"},
		{"\x00%\xff", 1, "unknown conversion"},
	} {
		_, err := Parse(c.format)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("Parse(%q): %v, want an *Error", c.format, err)
			continue
		}
		if e.Offset != c.offset || !strings.Contains(e.Msg, c.want) {
			t.Errorf("Parse(%q): %d %q, want %d %q", c.format, e.Offset, e.Msg, c.offset, c.want)
		}
	}
}

func TestKinds(t *testing.T) {
	dirs, err := Parse("a%%b%*.*s%d%.*M|%c")
	if err != nil {
		t.Fatal(err)
	}
	var got []Kind
	for i := range dirs {
		got = dirs[i].Kinds(got)
	}
	want := []Kind{Long, Long, String, Long, Long, Address, Long}
	if !slices.Equal(got, want) {
		t.Errorf("Kinds: %v, want %v", got, want)
	}
	if dirs[0].Text != "a%b" {
		t.Errorf("text %q, want %q", dirs[0].Text, "a%b")
	}
}

// Missing arguments and huge widths must neither panic nor take much memory.
func TestAppendHostile(t *testing.T) {
	dirs, err := Parse("%d %s %*d %.*s %*.*x %b %M")
	if err != nil {
		t.Fatal(err)
	}
	Append(nil, dirs, nil)
	const huge = 1<<63 - 1
	for _, n := range []int64{huge, -huge, -huge - 1} {
		v := Value{N: n, S: []byte("x")}
		out := Append(nil, dirs, []Value{v, v, v, v, v, v, v, v, v, v, v})
		if len(out) > 8*MaxWidth {
			t.Errorf("width %d: %d bytes", n, len(out))
		}
	}
}

func TestQuote(t *testing.T) {
	dirs, err := Parse(Quote("100%d"))
	if err != nil || string(Append(nil, dirs, nil)) != "100%d" {
		t.Errorf("Quote: %v %v", dirs, err)
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	dirs, _ := Parse("%s %d %-16s %10d %#x\n")
	args := []Value{{S: []byte("dd")}, {N: -12345}, {S: []byte("cat")}, {N: 99}, {N: 255}}
	buf := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() { buf = Append(buf[:0], dirs, args) }); n != 0 {
		t.Errorf("%v allocations for each record", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, f := range []string{"%s %d\n", "%-16s %10d\n", "%#x %s %d %s %d\n"} {
		b.Run(strings.TrimSpace(f), func(b *testing.B) {
			dirs, _ := Parse(f)
			args := []Value{{N: 4096, S: []byte("dd")}, {N: 12345, S: []byte("sh")}, {N: 1}, {S: []byte("abc")}, {N: 2}}
			buf := make([]byte, 0, 256)
			for b.Loop() {
				buf = Append(buf[:0], dirs, args)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range readGolden(f) {
		f.Add(c.format)
	}
	f.Fuzz(func(t *testing.T, s string) {
		dirs, err := Parse(s)
		if err != nil {
			return
		}
		v := Value{N: -7, S: []byte("text\x00")}
		Append(nil, dirs, []Value{v, v, v, v, v, v, v, v})
	})
}
