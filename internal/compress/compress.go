// SPDX-License-Identifier: GPL-2.0-or-later

// Package compress decompresses kernels and modules. It recognises the format by
// the first bytes, not by a file's name; the kernel's build has six formats: lz4
// (lz4.go), zstd, gzip, xz, lzma and bzip2.
//
//	elf, err := compress.Decompress(file)          // a module: all that is in it
//	elf, err := compress.DecompressN(payload, n)   // a kernel: n bytes; other data may follow
//
// An ELF file is not compressed, and returned as it is.
package compress

import (
	"bytes"
	"compress/bzip2"
	"io"
	"runtime"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"
	"github.com/therootcompany/xz"
	"github.com/ulikunitz/xz/lzma"
)

// ErrFormat is the error for data in none of these formats.
var ErrFormat = errors.New("neither an ELF file nor compressed in a way that is known (lz4, zstd, gzip, xz, lzma and bzip2 are)")

// maxSize bounds the size of decompressed data.
const maxSize = 512 << 20

// The formats' first bytes.
const (
	magicELF   = "\x7fELF"
	magicLZ4   = "\x02\x21\x4c\x18" // a legacy frame, as the kernel's build makes them
	magicZstd  = "\x28\xb5\x2f\xfd"
	magicGzip  = "\x1f\x8b"
	magicXZ    = "\xfd7zXZ\x00"
	magicLZMA  = "\x5d\x00\x00"
	magicBzip2 = "BZh"
)

// Decompress decompresses all of p.
func Decompress(p []byte) ([]byte, error) { return decompress(p, 0) }

// DecompressN decompresses the first n bytes of p; data behind them are ignored.
func DecompressN(p []byte, n int) ([]byte, error) {
	if n <= 0 || n > maxSize {
		return nil, errors.Errorf("%d bytes are no size that something decompresses to", n)
	}
	return decompress(p, n)
}

func decompress(p []byte, n int) ([]byte, error) {
	if starts(p, magicELF) {
		return p, nil
	}
	if starts(p, magicLZ4) {
		data, err := unlz4(p[len(magicLZ4):], n)
		return data, errors.Wrap(err, "lz4")
	}
	name, r, err := reader(p, n > 0)
	if err == ErrFormat {
		return nil, err
	}
	if err != nil {
		return nil, errors.Wrap(err, name)
	}
	defer r.Close()
	data, err := read(r, n, len(p))
	return data, errors.Wrap(err, name)
}

func starts(p []byte, magic string) bool { return bytes.HasPrefix(p, []byte(magic)) }

// reader returns a reader of the decompressed p, and the name of the format. If p has
// trailing data, only its first stream is read.
func reader(p []byte, part bool) (name string, r io.ReadCloser, err error) {
	in := bytes.NewReader(p)
	switch {
	case starts(p, magicZstd):
		d, err := zstd.NewReader(in, zstd.WithDecoderMaxMemory(maxSize), zstd.WithDecoderConcurrency(concurrency(part)))
		if err != nil {
			return "zstd", nil, err
		}
		return "zstd", d.IOReadCloser(), nil
	case starts(p, magicGzip):
		z, err := gzip.NewReader(in)
		if err != nil {
			return "gzip", nil, err
		}
		z.Multistream(!part)
		return "gzip", z, nil
	case starts(p, magicXZ):
		z, err := xz.NewReader(in, 0)
		if err != nil {
			return "xz", nil, err
		}
		z.Multistream(!part)
		return "xz", io.NopCloser(z), nil
	case starts(p, magicLZMA):
		z, err := lzma.ReaderConfig{DictCap: 1 << 26}.NewReader(in)
		return "lzma", io.NopCloser(z), err
	case starts(p, magicBzip2):
		return "bzip2", io.NopCloser(bzip2.NewReader(in)), nil
	}
	return "", nil, ErrFormat
}

// concurrency is the number of CPUs that decompress: all for a kernel, one for a module, as many
// modules are read at once.
func concurrency(part bool) int {
	if part {
		return runtime.NumCPU()
	}
	return 1
}

// read reads n bytes of r, or all of it for 0. Errors of r behind the n-th byte
// are ignored. Memory is allocated as data are read.
func read(r io.Reader, n, compressed int) ([]byte, error) {
	var out bytes.Buffer
	if n > 0 {
		out.Grow(min(n, 16*compressed) + bytes.MinRead)
		_, err := io.CopyN(&out, r, int64(n))
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return out.Bytes(), err
	}
	_, err := io.CopyN(&out, r, maxSize+1)
	switch err {
	case io.EOF:
		return out.Bytes(), nil
	case nil:
		return nil, errors.Errorf("more than %d MiB", maxSize>>20)
	}
	return nil, err
}
