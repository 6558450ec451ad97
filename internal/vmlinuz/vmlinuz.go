// SPDX-License-Identifier: GPL-2.0-or-later

// Package vmlinuz reads kernel images in /boot: x86's bzImage, an
// image that is compressed as a whole, or one that isn't compressed.
//
//	elf, err := vmlinuz.Unpack(file)     // vmlinux, stripped
//	release := vmlinuz.Release(file)     // "6.1.0-56-cloud-amd64"
//
// A bzImage is a program that decompresses the kernel; the offsets of its parts are in the setup header
// of Documentation/arch/x86/boot.rst.
package vmlinuz

import (
	"bytes"
	"encoding/binary"

	"github.com/pkg/errors"

	"gostap/internal/compress"
)

// Offsets in the setup header.
const (
	setupSects    = 0x1f1
	headerMagic   = 0x202 // "HdrS"
	bootProtocol  = 0x206
	kernelVersion = 0x20e
	payloadOffset = 0x248
	payloadLength = 0x24c
	setupEnd      = 0x250
)

const sector = 512

// Unpack returns the ELF file inside a kernel image.
func Unpack(file []byte) ([]byte, error) {
	if !isBzImage(file) {
		return unpackWhole(file)
	}
	payload, err := bzPayload(file)
	if err != nil {
		return nil, err
	}
	// The kernel's build has its size behind it; gzip's own format ends in that.
	size := binary.LittleEndian.Uint32(payload[len(payload)-4:])
	return checked(compress.DecompressN(payload, int(size)))
}

// unpackWhole unpacks an image that is compressed as a whole. If the kernel's build has compressed it,
// the size is appended.
func unpackWhole(file []byte) ([]byte, error) {
	if len(file) >= 4 {
		size := binary.LittleEndian.Uint32(file[len(file)-4:])
		if image, err := checked(compress.DecompressN(file, int(size))); err == nil {
			return image, nil
		}
	}
	return checked(compress.Decompress(file))
}

// checked returns an image if it is an ELF file.
func checked(image []byte, err error) ([]byte, error) {
	if err == nil && !bytes.HasPrefix(image, []byte("\x7fELF")) {
		err = errors.New("what is compressed in it is no ELF file")
	}
	return image, err
}

func isBzImage(file []byte) bool {
	return len(file) > setupEnd && string(file[headerMagic:headerMagic+4]) == "HdrS"
}

// bzPayload returns the compressed kernel in a bzImage of protocol 2.08 (Linux 2.6.26) or later.
func bzPayload(file []byte) ([]byte, error) {
	if binary.LittleEndian.Uint16(file[bootProtocol:]) < 0x208 {
		return nil, errors.New("boot protocol before 2.08")
	}
	sectors := int(file[setupSects])
	if sectors == 0 {
		sectors = 4
	}
	start := (sectors+1)*sector + int(binary.LittleEndian.Uint32(file[payloadOffset:]))
	length := int(binary.LittleEndian.Uint32(file[payloadLength:]))
	if start > len(file) || length > len(file)-start || length < 8 {
		return nil, errors.New("truncated: the compressed kernel is not all there")
	}
	return file[start : start+length], nil
}

// Release returns the release that a bzImage's header names, "" if it names none.
func Release(file []byte) string {
	if !isBzImage(file) {
		return ""
	}
	at := int(binary.LittleEndian.Uint16(file[kernelVersion:]))
	if at == 0 || at+sector >= len(file) {
		return ""
	}
	text := file[at+sector:]
	if i := bytes.IndexAny(text, " \x00"); i > 0 && i < 100 {
		return string(text[:i])
	}
	return ""
}
