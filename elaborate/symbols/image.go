// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"io"
	"runtime"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/pkg/errors"
	"github.com/therootcompany/xz"
	"github.com/ulikunitz/xz/lzma"

	"gostap/internal/panics"
)

// maxImage bounds what a kernel may decompress to.
const maxImage = 512 << 20

// Unpack returns the ELF file inside a vmlinuz: x86's bzImage, or an image
// that is compressed as a whole, or not at all.
func Unpack(file []byte) ([]byte, error) {
	if bytes.HasPrefix(file, []byte("\x7fELF")) {
		return file, nil
	}
	payload := file
	if isBzImage(file) {
		var err error
		if payload, err = bzPayload(file); err != nil {
			return nil, err
		}
	}
	image, err := decompress(payload)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(image, []byte("\x7fELF")) {
		return nil, errors.New("what is compressed in it is no ELF file")
	}
	return image, nil
}

func isBzImage(file []byte) bool {
	return len(file) > 0x250 && string(file[0x202:0x206]) == "HdrS"
}

// bzPayload returns the compressed kernel in a bzImage, by the setup header of
// Documentation/x86/boot.rst (protocol 2.08 and later).
func bzPayload(file []byte) ([]byte, error) {
	if binary.LittleEndian.Uint16(file[0x206:]) < 0x208 {
		return nil, errors.New("boot protocol before 2.08")
	}
	sectors := int(file[0x1f1])
	if sectors == 0 {
		sectors = 4
	}
	start := (sectors+1)*512 + int(binary.LittleEndian.Uint32(file[0x248:]))
	length := int(binary.LittleEndian.Uint32(file[0x24c:]))
	if start > len(file) || length > len(file)-start || length < 8 {
		return nil, errors.New("truncated: the compressed kernel is not all there")
	}
	return file[start : start+length], nil
}

// bzRelease returns the release that a bzImage's header names, "" if it names none.
func bzRelease(file []byte) string {
	if !isBzImage(file) {
		return ""
	}
	at := int(binary.LittleEndian.Uint16(file[0x20e:]))
	if at == 0 || at+0x200 >= len(file) {
		return ""
	}
	text := file[at+0x200:]
	if i := bytes.IndexAny(text, " \x00"); i > 0 && i < 100 {
		return string(text[:i])
	}
	return ""
}

// decompress goes by the first bytes, as the kernel's build has these six ways.
func decompress(p []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(p, []byte{0x02, 0x21, 0x4c, 0x18}):
		return unlz4(p[4:])
	case bytes.HasPrefix(p, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		r, err := zstd.NewReader(bytes.NewReader(p), zstd.WithDecoderMaxMemory(maxImage), zstd.WithDecoderConcurrency(runtime.NumCPU()))
		if err != nil {
			return nil, errors.Wrap(err, "zstd")
		}
		defer r.Close()
		return readImage(r, p, "zstd")
	case bytes.HasPrefix(p, []byte{0x1f, 0x8b}):
		r, err := gzip.NewReader(bytes.NewReader(p))
		if err != nil {
			return nil, errors.Wrap(err, "gzip")
		}
		r.Multistream(false)
		return readImage(r, p, "gzip")
	case bytes.HasPrefix(p, []byte("\xfd7zXZ\x00")):
		r, err := xz.NewReader(bytes.NewReader(p[:len(p)-4]), 0)
		if err != nil {
			return nil, errors.Wrap(err, "xz")
		}
		r.Multistream(false)
		return readImage(r, p, "xz")
	case bytes.HasPrefix(p, []byte{0x5d, 0, 0}):
		r, err := lzma.ReaderConfig{DictCap: 1 << 26}.NewReader(bytes.NewReader(p))
		if err != nil {
			return nil, errors.Wrap(err, "lzma")
		}
		return readImage(r, p, "lzma")
	case bytes.HasPrefix(p, []byte("BZh")):
		return readImage(bzip2.NewReader(bytes.NewReader(p)), p, "bzip2")
	case bytes.HasPrefix(p, []byte("\x7fELF")):
		return p, nil
	}
	return nil, errors.New("no kernel image, or compressed in a way that is not known (lz4, zstd, gzip, xz, lzma and bzip2 are)")
}

// readImage reads all of r. The kernel's build appends the size to the
// compressed data, which may make r complain once everything is there.
func readImage(r io.Reader, p []byte, format string) ([]byte, error) {
	size := int(binary.LittleEndian.Uint32(p[len(p)-4:]))
	if size <= 0 || size > maxImage {
		size = 0
	}
	image := make([]byte, size)
	n, err := io.ReadFull(r, image)
	if size > 0 && n == size {
		return image, nil
	}
	if size > 0 {
		return nil, errors.Wrap(err, format)
	}
	image, err = io.ReadAll(io.LimitReader(r, maxImage))
	return image, errors.Wrap(err, format)
}

// lz4Block is what each block of a legacy frame but the last holds.
const lz4Block = 8 << 20

// unlz4 decompresses a legacy frame without its magic number; its blocks are
// independent, so all processors share them.
func unlz4(p []byte) ([]byte, error) {
	var blocks [][]byte
	// The last four bytes are the size that the kernel's build appends.
	for len(p) > 4 {
		n := int(binary.LittleEndian.Uint32(p))
		if n == 0 || n > len(p)-4 {
			break
		}
		blocks = append(blocks, p[4:4+n])
		p = p[4+n:]
	}
	if len(blocks) == 0 {
		return nil, errors.New("lz4: truncated")
	}
	if len(blocks) > maxImage/lz4Block {
		return nil, errors.Errorf("lz4: more than %d MiB", maxImage>>20)
	}
	if len(p) == 4 {
		size := int(binary.LittleEndian.Uint32(p))
		if size > len(blocks)*lz4Block || size <= (len(blocks)-1)*lz4Block {
			return nil, errors.Errorf("lz4: %d blocks can't hold %d bytes", len(blocks), size)
		}
	}
	image := make([]byte, len(blocks)*lz4Block)
	sizes := make([]int, len(blocks))
	errs := make([]error, len(blocks))
	var group panics.Group
	limit := make(chan struct{}, runtime.NumCPU())
	for i, block := range blocks {
		limit <- struct{}{}
		group.Go(func() {
			defer func() { <-limit }()
			sizes[i], errs[i] = lz4.UncompressBlock(block, image[i*lz4Block:(i+1)*lz4Block])
		})
	}
	group.Wait()
	for i := range blocks {
		if errs[i] != nil {
			return nil, errors.Wrap(errs[i], "lz4")
		}
		if i < len(blocks)-1 && sizes[i] != lz4Block {
			return nil, errors.New("lz4: a block that is not full")
		}
	}
	return image[:(len(blocks)-1)*lz4Block+sizes[len(blocks)-1]], nil
}
