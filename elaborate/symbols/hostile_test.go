// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"sort"
	"testing"

	"gostap/elaborate/internal/testkernel"
	"gostap/internal/vmlinuz"
)

// A testImage is a kernel image that is small enough for tests that damage every byte.
type testImage struct {
	names   []string // with types in front
	addrs   []uint64
	old     bool // the tables are in the order of 6.1
	percpu  bool // addresses are as with CONFIG_KALLSYMS_ABSOLUTE_PERCPU
	rodata  []byte
	file    []byte
	numText int
}

const (
	testText   = 0xffffffff81000000
	testRodata = 0xffffffff81100000
	testInit   = 0xffffffff81200000
)

// newTestImage writes an ELF file with kallsyms as in the kernel's build, but uncompressed: each token
// is one character.
func newTestImage(old, percpu bool) *testImage {
	ti := &testImage{old: old, percpu: percpu, numText: 1200}
	add := func(kind byte, name string, addr uint64) {
		ti.names = append(ti.names, string(kind)+name)
		ti.addrs = append(ti.addrs, addr)
	}
	if percpu {
		add('A', "fixed_percpu_data", 0)
	}
	add('T', "_stext", testText)
	for i := range ti.numText {
		add('t', fmt.Sprintf("function_%d", i), testText+uint64(i)*16)
	}
	add('T', "_etext", testText+uint64(ti.numText)*16)
	add('T', "_sinittext", testInit)
	add('t', "init_function", testInit)
	add('T', "_einittext", testInit+16)
	add('D', "__start_mcount_loc", testInit+32)
	add('D', "__stop_mcount_loc", testInit+40)
	add('D', "__start_kprobe_blacklist", testInit+40)
	add('D', "__stop_kprobe_blacklist", testInit+48)

	var b bytes.Buffer
	le := binary.LittleEndian
	align := func() {
		for b.Len()%8 != 0 {
			b.WriteByte(0)
		}
	}
	offsets := func() {
		for _, addr := range ti.addrs {
			offset := uint32(addr - testText)
			if percpu {
				offset = uint32(addr)
				if addr >= testText {
					offset = uint32(uint64(testText) - 1 - addr)
				}
			}
			binary.Write(&b, le, offset)
		}
		align()
		binary.Write(&b, le, uint64(testText))
	}
	b.WriteString("some data")
	align()
	if old {
		offsets()
	}
	binary.Write(&b, le, uint64(len(ti.names)))
	var markers []uint32
	start := b.Len()
	for i, name := range ti.names {
		if i%256 == 0 {
			markers = append(markers, uint32(b.Len()-start))
		}
		b.WriteByte(byte(len(name)))
		b.WriteString(name)
	}
	align()
	binary.Write(&b, le, markers)
	align()
	index := make([]uint16, 256)
	start = b.Len()
	for i := range index {
		index[i] = uint16(b.Len() - start)
		if i != 0 {
			b.WriteByte(byte(i))
		}
		b.WriteByte(0)
	}
	align()
	binary.Write(&b, le, index)
	if !old {
		offsets()
	}
	ti.rodata = b.Bytes()
	ti.file = writeELF(ti)
	return ti
}

func writeELF(ti *testImage) []byte {
	le := binary.LittleEndian
	initText := make([]byte, 64)
	le.PutUint64(initText[32:], testText+16+endbr) // ftrace's call in function_1
	le.PutUint64(initText[40:], testText+32)       // function_2 is on the blacklist
	notes := append([]byte{4, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0}, "GNU\x00\x01\x02\x03\x04\x05\x06\x07\x08"...)
	type part struct {
		name string
		kind elf.SectionType
		addr uint64
		data []byte
	}
	parts := []part{
		{".text", elf.SHT_PROGBITS, testText, make([]byte, ti.numText*16)},
		{".rodata", elf.SHT_PROGBITS, testRodata, ti.rodata},
		{".init.text", elf.SHT_PROGBITS, testInit, initText},
		{".notes", elf.SHT_NOTE, testRodata + 0x80000, notes},
	}
	names := []byte{0}
	headers := []elf.Section64{{}}
	var body bytes.Buffer
	for _, p := range parts {
		headers = append(headers, elf.Section64{Name: uint32(len(names)), Type: uint32(p.kind), Flags: uint64(elf.SHF_ALLOC),
			Addr: p.addr, Off: uint64(64 + body.Len()), Size: uint64(len(p.data)), Addralign: 8})
		names = append(append(names, p.name...), 0)
		body.Write(p.data)
	}
	headers = append(headers, elf.Section64{Name: uint32(len(names)), Type: uint32(elf.SHT_STRTAB),
		Off: uint64(64 + body.Len()), Size: uint64(len(names) + len(".shstrtab") + 1)})
	names = append(append(names, ".shstrtab"...), 0)
	body.Write(names)
	var out bytes.Buffer
	header := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1, Shoff: uint64(64 + body.Len()),
		Ehsize: 64, Shentsize: 64, Shnum: uint16(len(headers)), Shstrndx: uint16(len(headers) - 1)}
	copy(header.Ident[:], "\x7fELF\x02\x01\x01")
	binary.Write(&out, le, header)
	out.Write(body.Bytes())
	binary.Write(&out, le, headers)
	return out.Bytes()
}

func TestKallsymsLayouts(t *testing.T) {
	for _, old := range []bool{true, false} {
		for _, percpu := range []bool{true, false} {
			ti := newTestImage(old, percpu)
			im, err := parseImage(ti.file)
			if err != nil {
				t.Fatal(err)
			}
			symbols, err := decodeKallsyms(im)
			if err != nil {
				t.Fatalf("old %v, percpu %v: %v", old, percpu, err)
			}
			for i, s := range symbols {
				if string(s.kind)+s.name != ti.names[i] || s.addr != ti.addrs[i] {
					t.Fatalf("old %v, percpu %v: symbol %d is %+v, not %s at %x", old, percpu, i, s, ti.names[i], ti.addrs[i])
				}
			}
			list, _, err := imageFunctions(im)
			if err != nil {
				t.Fatal(err)
			}
			sort.Slice(list, func(i, j int) bool { return list[i].Addr < list[j].Addr })
			if len(list) != ti.numText+1 || !list[1].Ftrace || list[0].Ftrace || list[2].Refusal != Blacklisted ||
				list[ti.numText].Refusal != Init {
				t.Errorf("old %v, percpu %v: %d functions, %+v", old, percpu, len(list), list[:3])
			}
		}
	}
}

// swallow reads everything in a kernel image.
func swallow(file []byte) error {
	data, err := vmlinuz.Unpack(file)
	if err != nil {
		return err
	}
	im, err := parseImage(data)
	if err != nil {
		return err
	}
	if _, err := im.buildID(); err != nil {
		return err
	}
	list, stext, err := imageFunctions(im)
	if err != nil {
		return err
	}
	_, err = openIndex(encodeIndex(list, stext, 0))
	return err
}

// TestTruncated truncates real kernels and a small one at many places.
func TestTruncated(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		file, err := os.ReadFile("/boot/vmlinuz-" + release)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 511, 0x205, 0x24f, 0x300, 0x6000, len(file) / 2, len(file) * 9 / 10} {
			if swallow(file[:n]) == nil {
				t.Errorf("%s: the first %d bytes are a kernel", release, n)
			}
		}
	}
	whole := newTestImage(false, true).file
	if err := swallow(whole); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 37 {
		if swallow(whole[:n]) == nil {
			t.Errorf("the first %d of %d bytes are a kernel", n, len(whole))
		}
	}
}

func FuzzImage(f *testing.F) {
	f.Add(newTestImage(true, true).file)
	f.Add(newTestImage(false, false).file)
	f.Fuzz(func(t *testing.T, file []byte) { swallow(file) })
}

func FuzzIndex(f *testing.F) {
	f.Add(encodeIndex([]Func{{Name: "a", Size: 3, Ftrace: true}, {Name: "b", Offset: -5, Refusal: Init}}, testText, 7))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := openIndex(data)
		if err != nil {
			return
		}
		k := &Kernel{Functions: Functions{x}}
		for _, fn := range k.Glob("*") {
			_ = fn.Refusal.String()
			k.Lookup(fn.Name)
		}
		k.Nearest("abc", 3)
	})
}
