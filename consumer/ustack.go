// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"strconv"

	"gostap/consumer/userimage"
)

// ustackRecord returns the flags, the process and the frames of a GS_REC_USTACK's payload.
func ustackRecord(payload []byte) (flags uint32, frames []byte, ok bool) {
	if len(payload) < 8 || len(payload)%frameSize != 8 {
		return 0, nil, false
	}
	return le32(payload), payload[8:], true
}

// A userPlace is what is known of an address of a process.
type userPlace struct {
	addr    uint64
	image   *userimage.Image // nil if it is in none
	linked  uint64           // the address as the image is linked
	symbol  userimage.Symbol // no Name if there is none
	file    string           // "" if unknown
	line    int
	isKnown bool // the image is known, so that more won't be
}

// place finds out what a frame is in.
func (im *images) place(frame []byte, lines bool) userPlace {
	p := userPlace{addr: binary.LittleEndian.Uint64(frame)}
	number, offset := le32(frame[8:]), uint64(le32(frame[12:]))
	call := number&frameCall != 0
	number &^= frameCall
	p.image = im.image(number)
	p.isKnown = p.image != nil || number == noImage
	if p.image == nil {
		return p
	}
	var ok bool
	if p.linked, ok = p.image.Addr(offset); !ok {
		p.image = nil
		return p
	}
	asked := p.linked
	if call { // the call's, not that of what follows, which may be another function's
		asked--
	}
	if s, found := p.image.Find(asked); found {
		p.symbol = s
	}
	if lines {
		p.file, p.line, _ = p.image.Line(asked)
	}
	return p
}

// A ustackPrinter writes programs' stacks as text, and keeps those that come again and again.
type ustackPrinter struct {
	images *images
	texts  map[string]string // by payload
	kept   int               // bytes in texts
}

func newUstackPrinter(im *images) *ustackPrinter {
	return &ustackPrinter{images: im, texts: map[string]string{}}
}

// append appends the text of a GS_REC_USTACK's payload. It reports false if that makes no sense.
func (u *ustackPrinter) append(dst, payload []byte) ([]byte, bool) {
	if text, ok := u.texts[string(payload)]; ok {
		return append(dst, text...), true
	}
	flags, frames, ok := ustackRecord(payload)
	if !ok || u.images == nil {
		return dst, false
	}
	start, known := len(dst), true
	for ; len(frames) >= frameSize; frames = frames[frameSize:] {
		p := u.images.place(frames, flags&ustackLines != 0)
		dst = append(appendPlace(dst, &p, flags), '\n')
		known = known && p.isKnown
	}
	dst = append(dst, cutText(flags)...)
	if known {
		if u.kept > keptTexts {
			clear(u.texts)
			u.kept = 0
		}
		u.kept += len(payload) + len(dst) - start
		u.texts[string(payload)] = string(dst[start:])
	}
	return dst, true
}

// cutText says why a stack has ended before its time.
func cutText(flags uint32) string {
	switch {
	case flags&ustackBusy != 0:
		return " (cut: the process was changing its mappings)\n"
	case flags&ustackFault != 0:
		return " (cut: the caller is not where it should be)\n"
	case flags&ustackDeep != 0:
		return " (cut: it is deeper)\n"
	}
	return ""
}

// appendPlace appends an address as SystemTap does:
//
//	0x401136 : main+0x10/0x30 at prog.c:7 [/path/prog]
func appendPlace(dst []byte, p *userPlace, flags uint32) []byte {
	if flags&ustackBrief == 0 {
		dst = append(dst, " 0x"...)
		dst = appendHex(dst, p.addr)
	} else if p.symbol.Name == "" {
		dst = append(dst, "0x"...)
		dst = appendHex(dst, p.addr)
	}
	if p.symbol.Name != "" {
		if flags&ustackBrief == 0 {
			dst = append(dst, " : "...)
		}
		dst = append(dst, p.symbol.Name...)
		dst = append(dst, "+0x"...)
		dst = appendHex(dst, p.linked-p.symbol.Addr)
		if flags&ustackBrief != 0 {
			return dst
		}
		dst = append(dst, "/0x"...)
		dst = appendHex(dst, p.symbol.Size)
	}
	if flags&ustackBrief != 0 || p.image == nil {
		return dst
	}
	if p.file != "" {
		dst = append(dst, " at "...)
		dst = append(dst, p.file...)
		dst = append(dst, ':')
		dst = strconv.AppendInt(dst, int64(p.line), 10)
	}
	dst = append(dst, " ["...)
	dst = append(dst, p.image.Path...)
	if p.symbol.Name == "" {
		dst = append(dst, "+0x"...)
		dst = appendHex(dst, p.linked)
	}
	return append(dst, ']')
}

// appendJSONUstack appends an array with an object for each address, innermost
// first; members that are not known are left out.
func appendJSONUstack(dst []byte, im *images, flags uint32, frames []byte) []byte {
	dst = append(dst, `,"ustack":[`...)
	separator := ""
	for ; len(frames) >= frameSize; frames = frames[frameSize:] {
		p := im.place(frames, flags&ustackLines != 0)
		dst = append(dst, separator...)
		separator = ","
		dst = append(dst, `{"address":"0x`...)
		dst = append(appendHex(dst, p.addr), '"')
		if p.symbol.Name != "" {
			dst = append(dst, `,"symbol":`...)
			dst = appendJSON(dst, p.symbol.Name)
			dst = append(dst, `,"offset":`...)
			dst = strconv.AppendUint(dst, p.linked-p.symbol.Addr, 10)
		}
		if p.file != "" {
			dst = append(dst, `,"file":`...)
			dst = appendJSON(dst, p.file)
			dst = append(dst, `,"line":`...)
			dst = strconv.AppendInt(dst, int64(p.line), 10)
		}
		if p.image != nil {
			dst = append(dst, `,"module":`...)
			dst = appendJSON(dst, p.image.Path)
			dst = append(dst, `,"linked":"0x`...)
			dst = append(appendHex(dst, p.linked), '"')
		}
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	if flags&(ustackBusy|ustackFault|ustackDeep) != 0 {
		dst = append(dst, `,"cut":true`...)
	}
	return dst
}
