// SPDX-License-Identifier: GPL-2.0-or-later

package compress

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math/rand"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

// sample has more than one lz4 block, the last of which is not full.
func sample() []byte {
	data := make([]byte, lz4Block+12345)
	rand.New(rand.NewSource(1)).Read(data[lz4Block:])
	return data
}

// written returns the output of a compressor for data.
func written[W io.WriteCloser](t *testing.T, data []byte, new func(io.Writer) (W, error)) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := new(&out)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func lz4Frame(t *testing.T, data []byte) []byte {
	t.Helper()
	frame := []byte(magicLZ4)
	for len(data) > 0 {
		part := data[:min(lz4Block, len(data))]
		data = data[len(part):]
		block := make([]byte, lz4.CompressBlockBound(len(part)))
		n, err := lz4.CompressBlock(part, block, nil)
		if err != nil || n == 0 {
			t.Fatal(n, err)
		}
		frame = append(binary.LittleEndian.AppendUint32(frame, uint32(n)), block[:n]...)
	}
	return frame
}

// compressed is data in all formats except bzip2, for which Go has no compressor.
func compressed(t *testing.T, data []byte) map[string][]byte {
	return map[string][]byte{
		"lz4":  lz4Frame(t, data),
		"zstd": written(t, data, func(w io.Writer) (*zstd.Encoder, error) { return zstd.NewWriter(w) }),
		"gzip": written(t, data, func(w io.Writer) (*gzip.Writer, error) { return gzip.NewWriter(w), nil }),
		"xz":   written(t, data, xz.NewWriter),
		"lzma": written(t, data, lzma.NewWriter),
	}
}

func TestDecompress(t *testing.T) {
	data := sample()
	for name, p := range compressed(t, data) {
		if got, err := Decompress(p); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(data), err)
		}
		// As in a kernel image: the size is behind the data.
		sized := binary.LittleEndian.AppendUint32(bytes.Clone(p), uint32(len(data)))
		if got, err := DecompressN(sized, len(data)); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s, with its size: %d bytes of %d, %v", name, len(got), len(data), err)
		}
		if got, err := DecompressN(p, len(data)+1); err == nil {
			t.Errorf("%s: %d bytes out of %d", name, len(got), len(data))
		}
		for _, n := range []int{0, 1, 5, 20, len(p) / 2, len(p) * 9 / 10} {
			if got, err := Decompress(p[:n]); err == nil && len(got) >= len(data) {
				t.Errorf("%s: all of it out of %d bytes of %d", name, n, len(p))
			}
			if _, err := DecompressN(p[:n], len(data)); err == nil {
				t.Errorf("%s: all of it out of %d bytes of %d", name, n, len(p))
			}
		}
	}
}

func TestBzip2(t *testing.T) {
	p, err := hex.DecodeString("425a68393141592653594eece83600000251800010400006449080200031064c4101a7a9a580bb9431f8bb9229c28482776741b0")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][]byte{p, append(p, 12, 0, 0, 0)} {
		if got, err := DecompressN(p, 12); err != nil || string(got) != "hello world\n" {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func TestNotCompressed(t *testing.T) {
	if got, err := Decompress([]byte("\x7fELF…")); err != nil || string(got) != "\x7fELF…" {
		t.Errorf("an ELF file: %q, %v", got, err)
	}
	for _, p := range []string{"", "\x7fEL", "#!/bin/sh"} {
		if got, err := Decompress([]byte(p)); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %q, %v", p, got, err)
		}
	}
}

func FuzzDecompress(f *testing.F) {
	f.Add([]byte(magicLZ4+"\x04\x00\x00\x00\x30abc"), 3)
	f.Add([]byte(magicZstd), 1)
	f.Add([]byte(magicXZ), 100)
	f.Fuzz(func(t *testing.T, p []byte, n int) {
		DecompressN(p, n%(1<<20))
		if len(p) < 100 {
			Decompress(p)
		}
	})
}
