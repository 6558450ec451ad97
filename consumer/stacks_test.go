// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"encoding/binary"
	"testing"

	"gostap/manifest"
	"gostap/output/folded"
)

// TestStacks passes records in the order of handlers: samples of runs, lines before stacks, numbers
// behind them, arrays.
func TestStacks(t *testing.T) {
	kallsyms := "ffffffff81000000 T outer\nffffffff81000100 T inner\nffffffff81000200 T end\n"
	symbols, _ := testSymbols(&kallsyms)
	m := &manifest.Manifest{Formats: []manifest.Format{{Format: "%s\n", Args: "s"}, {Format: "%d\n", Args: "l"},
		{Format: "s[\"%s\",\"%s\"] @count=%d @min=%d @max=%d @sum=%d @avg=%d\n", Args: "ssl" + "llll"}}}
	formats, err := parseFormats(m)
	if err != nil {
		t.Fatal(err)
	}
	var stacks Stacks
	if _, err := stacks.newSink(&sources{manifest: m, formats: formats}); err != nil {
		t.Fatal(err)
	}
	s := &stacks.sink
	s.symbols = symbols
	text := func(index uint32, strings []string, numbers ...int64) []byte {
		p := binary.LittleEndian.AppendUint32(nil, index)
		for _, s := range strings {
			p = append(binary.LittleEndian.AppendUint16(p, uint16(len(s))), s...)
		}
		for _, n := range numbers {
			p = binary.LittleEndian.AppendUint64(p, uint64(n))
		}
		return p
	}
	stack := stackPayload(0, 0xffffffff81000110, 0xffffffff81000020)
	for _, r := range []struct {
		time    uint64
		kind    uint16
		payload []byte
	}{
		{1, recPrint, text(0, []string{"dd"})}, {1, recStack, stack},
		{2, recPrint, text(0, []string{"dd"})}, {2, recStack, stack},
		{3, recStack, stack}, // the output of the previous run is not part of it
		{4, recPrint, text(0, []string{"a;b\x1b"})}, {4, recStack, stack}, {4, recPrint, text(1, nil, 7)},
		{4, recStack, stackPayload(0, 0xffffffff81000110)}, {4, recPrint, text(1, nil, 4)},
		{5, recPrint, text(2, []string{"cat", "0xffffffff81000110 0xffffffff81000020"}, 2, 1, 8, 9, 4)},
		{5, recPrint, text(2, []string{"cat", "no stack"}, 2, 1, 8, 9, 4)},
	} {
		if _, ok := s.record(nil, 0, &record{kind: r.kind, time: r.time}, r.payload); !ok {
			t.Errorf("%+v is refused", r)
		}
	}
	var out bytes.Buffer
	if err := folded.Write(&out, stacks.Profile()); err != nil {
		t.Fatal(err)
	}
	const want = "a:b\ufffd;outer_[k];inner_[k] 7\ncat;outer_[k];inner_[k] 9\ndd;outer_[k];inner_[k] 2\ninner_[k] 4\nouter_[k];inner_[k] 1\n"
	if out.String() != want {
		t.Errorf("got:\n%swant:\n%s", out.String(), want)
	}
}
