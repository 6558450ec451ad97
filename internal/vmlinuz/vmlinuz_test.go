// SPDX-License-Identifier: GPL-2.0-or-later

package vmlinuz

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

var elf = bytes.Repeat([]byte("\x7fELF and so on"), 1000)

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// zstdSized is data compressed as in the kernel's build, which appends the size.
func zstdSized(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return binary.LittleEndian.AppendUint32(w.EncodeAll(data, nil), uint32(len(data)))
}

// bzImage is an image with a setup of that many sectors.
func bzImage(sectors int, release string, payload []byte) []byte {
	const before = 100 // number of bytes of the decompressor before the payload
	file := make([]byte, (sectors+1)*sector+before)
	file[setupSects] = byte(sectors)
	copy(file[headerMagic:], "HdrS")
	le := binary.LittleEndian
	le.PutUint16(file[bootProtocol:], 0x20f)
	le.PutUint32(file[payloadOffset:], before)
	le.PutUint32(file[payloadLength:], uint32(len(payload)))
	if release != "" {
		const at = 0x300
		le.PutUint16(file[kernelVersion:], at-sector)
		copy(file[at:], release+" (maker@host) #1 SMP\x00")
	}
	return append(append(file, payload...), "the rest"...)
}

func TestUnpack(t *testing.T) {
	for name, file := range map[string][]byte{
		"bzImage of gzip":     bzImage(27, "", gzipped(t, elf)),
		"bzImage of zstd":     bzImage(4, "", zstdSized(t, elf)),
		"gzip as a whole":     gzipped(t, elf),
		"zstd with its size":  zstdSized(t, elf),
		"zstd without a size": zstdSized(t, elf)[:len(zstdSized(t, elf))-4],
		"not compressed":      elf,
	} {
		if got, err := Unpack(file); err != nil || !bytes.Equal(got, elf) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

func TestUnpackErrors(t *testing.T) {
	whole := bzImage(4, "", zstdSized(t, elf))
	old := bytes.Clone(whole)
	old[bootProtocol] = 7
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"no kernel":  {[]byte("#!/bin/sh\n"), "neither an ELF file"},
		"text in it": {bzImage(4, "", gzipped(t, []byte("a text that is no kernel"))), "no ELF file"},
		"old":        {old, "before 2.08"},
		"truncated":  {whole[:len(whole)-20], "truncated"},
		"empty":      {nil, "neither"},
	} {
		if _, err := Unpack(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestRelease(t *testing.T) {
	if got := Release(bzImage(4, "6.1.0-56-cloud-amd64", nil)); got != "6.1.0-56-cloud-amd64" {
		t.Errorf("%q", got)
	}
	for name, file := range map[string][]byte{"none": bzImage(4, "", nil), "no bzImage": elf, "empty": nil} {
		if got := Release(file); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(bzImage(4, "6.1", []byte("\x28\xb5\x2f\xfd\x00\x00\x00\x00\x00\x00\x00\x00")))
	f.Fuzz(func(t *testing.T, file []byte) {
		Unpack(file)
		Release(file)
	})
}
