// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"math"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"gostap/translator/format"
)

func TestAppendInt(t *testing.T) {
	check := func(n int64) {
		if got, want := string(appendInt([]byte("x"), n)), "x"+strconv.FormatInt(n, 10); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for power := int64(1); power > 0 && power <= math.MaxInt64/10; power *= 10 {
		for off := int64(-1); off <= 1; off++ {
			check(power + off)
			check(-power + off)
		}
	}
	check(math.MaxInt64)
	check(math.MinInt64)
	for range 10000 {
		check(rand.Int63n(1e9) >> rand.Intn(30))
	}
}

// TestFastFormat: the fast format writes the same as package format.
func TestFastFormat(t *testing.T) {
	for _, text := range []string{"%s %d\n", "", "x", "%d%s%d%s%s", "a long piece of text: %s", "%s%%", "%d", "%x", "0x%x %p%s%p\n"} {
		dirs, err := format.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		args := ""
		for i := range dirs {
			switch dirs[i].Verb {
			case 'd', 'x', 'p':
				args += "l"
			case 's':
				args += "s"
			}
		}
		fast := newFastFormat(dirs, args)
		if fast == nil {
			t.Errorf("%q is not fast", text)
			continue
		}
		for range 200 {
			var payload []byte
			var values []format.Value
			for _, arg := range args {
				if arg == 'l' {
					n := int64(rand.Uint64()) >> rand.Intn(64)
					payload = binary.LittleEndian.AppendUint64(payload, uint64(n))
					values = append(values, format.Value{N: n})
					continue
				}
				s := strings.Repeat("s", rand.Intn(40))
				payload = binary.LittleEndian.AppendUint16(payload, uint16(len(s)))
				payload = append(payload, s...)
				values = append(values, format.Value{S: []byte(s)})
			}
			want := string(format.Append([]byte("before "), dirs, values))
			if got, ok := fast.append([]byte("before "), payload); !ok || string(got) != want {
				t.Fatalf("%q: %q, want %q", text, got, want)
			}
			for i := range payload {
				if got, ok := fast.append([]byte("before "), payload[:i]); ok || string(got) != "before " {
					t.Fatalf("%q: %q of a short record", text, got)
				}
			}
		}
	}
	for _, text := range []string{"%5d", "%-s", "%#x", "%X", "%u", "%c", "%.2s", "%*d", "%+d"} {
		dirs, err := format.Parse(text)
		if err != nil || newFastFormat(dirs, "ll") != nil || newFastFormat(dirs, "s") != nil {
			t.Errorf("%q is taken for fast, %v", text, err)
		}
	}
}
