// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestLargeSections: sections that take long to decompress are cached, and used until the file changes.
func TestLargeSections(t *testing.T) {
	content := make([]byte, largeSection+1000)
	for i, random := 0, rand.New(rand.NewPCG(1, 2)); i < len(content); i++ {
		content[i] = byte(random.Uint32())
	}
	section := func(content []byte) (*elf.Section, []byte) {
		var p bytes.Buffer
		binary.Write(&p, le, elf.Chdr64{Type: uint32(elf.COMPRESS_ZLIB), Size: uint64(len(content)), Addralign: 1})
		z := zlib.NewWriter(&p)
		z.Write(content)
		z.Close()
		return &elf.Section{SectionHeader: elf.SectionHeader{Name: ".debug_info", Flags: elf.SHF_COMPRESSED,
			Size: uint64(len(content)), FileSize: uint64(p.Len())}}, p.Bytes()
	}
	dir := t.TempDir()
	f := &File{Path: filepath.Join(dir, "file"), BuildID: "abcd", cache: filepath.Join(dir, "cache")}
	kept := filepath.Join(f.cache, "abcd", "section.debug_info")
	touch := func(at time.Time) {
		if err := os.WriteFile(f.Path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(f.Path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, s *elf.Section, p, want []byte) {
		t.Helper()
		if got, err := f.decompressed(s, p); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: other bytes, %v", what, err)
		}
	}
	touch(time.Now().Add(-time.Hour))
	small, p := section(content[:1000])
	check("a small one", small, p, content[:1000])
	if _, err := os.Stat(kept); err == nil {
		t.Error("a small section is kept")
	}
	large, p := section(content)
	check("a large one", large, p, content)
	check("the kept one", large, nil, content) // without the compressed bytes
	if err := os.Truncate(kept, 1000); err != nil {
		t.Fatal(err)
	}
	check("one that was cut off", large, p, content)
	touch(time.Now().Add(time.Hour))
	content[7]++
	changed, p := section(content)
	check("one of a file that has changed", changed, p, content)
}
