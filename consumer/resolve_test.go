// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"gostap/manifest"
)

const someKallsyms = `0000000000000000 A fixed_percpu_data
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81234560 T vfs_read
ffffffff81234560 t dup
ffffffff81999990 t dup
ffffffffc0001000 t vfs_read	[ext4]
ffffffffc0002000 t ext4_file_read_iter	[ext4]
ffffffffc0003000 t bpf_prog_abc	[bpf]
`

func TestResolve(t *testing.T) {
	m := &manifest.Manifest{
		Images: []manifest.Image{{}, {Module: "ext4"}, {Module: "ext3"}},
		Symbols: []manifest.Symbol{
			{Name: "vfs_read", Offset: 0x1000},
			{Name: "ext4_file_read_iter", Image: 1},
			{Name: "vfs_read", Image: 1},
			{Name: "dup"},
			{Name: "no_such"},
			{Name: "vfs_read"},
			{Name: "vfs_read", Image: 2},
		},
	}
	want := []uint64{0xffffffff81234560, 0xffffffffc0002000, 0xffffffffc0001000, 0xffffffff81234560, 0, 0xffffffff81234560, 0}
	for _, sameKernel := range []bool{false, true} {
		if sameKernel {
			want[0] = 0xffffffff81001000
		}
		got, err := resolveFrom(iotest.OneByteReader(strings.NewReader(someKallsyms)), m, sameKernel)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("sameKernel %v: %x, %v\nwant %x", sameKernel, got, err, want)
		}
	}
}

// TestResolveByOffset: only the lines up to _stext are read.
func TestResolveByOffset(t *testing.T) {
	upToStext := someKallsyms[:strings.Index(someKallsyms, "ffffffff81000000 T _text")]
	r := iotest.ErrReader(fmt.Errorf("read too far"))
	got, err := resolveFrom(&twoReaders{strings.NewReader(upToStext), r}, &manifest.Manifest{Images: []manifest.Image{{}}, Symbols: []manifest.Symbol{{Name: "x", Offset: 16}}}, true)
	if err != nil || got[0] != 0xffffffff81000010 {
		t.Errorf("%x, %v", got, err)
	}
}

type twoReaders struct {
	first, second interface{ Read([]byte) (int, error) }
}

func (r *twoReaders) Read(b []byte) (int, error) {
	if n, err := r.first.Read(b); err == nil {
		return n, nil
	}
	return r.second.Read(b)
}

func TestResolveHidden(t *testing.T) {
	hidden := "0000000000000000 T _stext\n0000000000000000 T vfs_read\n"
	_, err := resolveFrom(strings.NewReader(hidden), &manifest.Manifest{Images: []manifest.Image{{}}, Symbols: []manifest.Symbol{{Name: "vfs_read"}}}, false)
	if err == nil || !strings.Contains(err.Error(), "kptr_restrict") {
		t.Errorf("error: %v", err)
	}
}

func BenchmarkResolve(b *testing.B) {
	var text strings.Builder
	for i := range 150000 {
		fmt.Fprintf(&text, "ffffffff%08x t some_function_%d\n", i, i)
	}
	m := &manifest.Manifest{Images: []manifest.Image{{}}, Symbols: []manifest.Symbol{{Name: "some_function_149999"}}}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if addrs, err := resolveFrom(strings.NewReader(text.String()), m, false); err != nil || addrs[0] == 0 {
			b.Fatal(addrs, err)
		}
	}
}
