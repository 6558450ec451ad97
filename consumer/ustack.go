// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"strconv"

	"gostap/consumer/userimage"
)

// A userStack is a GS_REC_USTACK's payload.
type userStack struct {
	flags, pid uint32
	frames     []byte
}

// ustackRecord parses a GS_REC_USTACK's payload.
func ustackRecord(payload []byte) (s userStack, ok bool) {
	if len(payload) < 8 || len(payload)%frameSize != 8 {
		return s, false
	}
	return userStack{le32(payload), le32(payload[4:]), payload[8:]}, true
}

// A symbolizedFrame is a frame of a process's stack with its symbol and line.
type symbolizedFrame struct {
	addr    uint64
	module  string           // its file, or the file that lists generated code; "" if there is none
	linked  uint64           // the address as the image is linked
	symbol  userimage.Symbol // no Name if there is none
	file    string           // "" if unknown
	line    int
	inlined []userimage.Inlined // into the function that the symbol is of, the innermost first
	isKnown bool                // a later look-up would find no more
}

// symbolize finds the file, the symbol and the line of a frame.
func (im *images) symbolize(pid uint32, frame []byte, lines bool) symbolizedFrame {
	p := symbolizedFrame{addr: binary.LittleEndian.Uint64(frame)}
	number, offset := le32(frame[8:]), uint64(le32(frame[12:]))
	call := number&frameCall != 0
	number &^= frameCall
	before := uint64(0)
	if call { // the call instruction's address: the return address may be in the next function
		before = 1
	}
	if number == noImage {
		p.linked = p.addr
		p.symbol, p.module, p.isKnown = im.perfMaps.find(pid, p.addr-before)
		if !p.isKnown {
			p.module = ""
		}
		return p
	}
	image := im.image(number)
	if image == nil {
		return p
	}
	p.isKnown = true
	var ok bool
	if p.linked, ok = image.Addr(offset); !ok {
		return p
	}
	p.module = image.Path
	if s, found := image.Find(p.linked - before); found {
		p.symbol = s
	}
	if lines {
		p.inlined, p.file, p.line = image.Position(p.linked - before)
	}
	return p
}

// A ustackPrinter writes programs' stacks as text, and caches the text of those it has written.
type ustackPrinter struct {
	images *images
	texts  map[string]string // by payload
	kept   int               // bytes in texts
}

func newUstackPrinter(im *images) *ustackPrinter {
	return &ustackPrinter{images: im, texts: map[string]string{}}
}

// append appends the text of a GS_REC_USTACK's payload. It reports false if the payload is malformed.
func (u *ustackPrinter) append(dst, payload []byte) ([]byte, bool) {
	if text, ok := u.texts[string(payload)]; ok {
		return append(dst, text...), true
	}
	stack, ok := ustackRecord(payload)
	if !ok || u.images == nil {
		return dst, false
	}
	start, known := len(dst), true
	for frames := stack.frames; len(frames) >= frameSize; frames = frames[frameSize:] {
		p := u.images.symbolize(stack.pid, frames, stack.flags&ustackLines != 0)
		dst = appendInlined(dst, &p)
		dst = append(appendUserFrame(dst, &p, stack.flags), '\n')
		known = known && p.isKnown
	}
	dst = append(dst, cutText(stack.flags)...)
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

// cutText says why a stack is incomplete.
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

// appendInlined appends a line for each function that is inlined where the address is:
//
//	0x401136 : min (inlined) at prog.c:3 [/path/prog]
func appendInlined(dst []byte, p *symbolizedFrame) []byte {
	for _, in := range p.inlined {
		dst = append(dst, " 0x"...)
		dst = appendHex(dst, p.addr)
		dst = append(dst, " : "...)
		dst = append(dst, in.Name...)
		dst = append(dst, " (inlined)"...)
		dst = appendAt(dst, in.File, in.Line)
		dst = append(dst, " ["...)
		dst = append(dst, p.module...)
		dst = append(dst, "]\n"...)
	}
	return dst
}

// appendUserFrame appends an address as SystemTap does:
//
//	0x401136 : main+0x10/0x30 at prog.c:7 [/path/prog]
func appendUserFrame(dst []byte, p *symbolizedFrame, flags uint32) []byte {
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
	if flags&ustackBrief != 0 || p.module == "" {
		return dst
	}
	dst = appendAt(dst, p.file, p.line)
	dst = append(dst, " ["...)
	dst = append(dst, p.module...)
	if p.symbol.Name == "" {
		dst = append(dst, "+0x"...)
		dst = appendHex(dst, p.linked)
	}
	return append(dst, ']')
}

// appendJSONUstack appends an array with an object for each address, innermost
// first; members that are not known are left out.
func appendJSONUstack(dst []byte, im *images, stack userStack) []byte {
	dst = append(dst, `,"ustack":[`...)
	separator := ""
	for frames := stack.frames; len(frames) >= frameSize; frames = frames[frameSize:] {
		p := im.symbolize(stack.pid, frames, stack.flags&ustackLines != 0)
		dst = appendJSONInlined(dst, &p, &separator)
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
		dst = appendJSONAt(dst, p.file, p.line)
		if p.module != "" {
			dst = append(dst, `,"module":`...)
			dst = appendJSON(dst, p.module)
			dst = append(dst, `,"linked":"0x`...)
			dst = append(appendHex(dst, p.linked), '"')
		}
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	if stack.flags&(ustackBusy|ustackFault|ustackDeep) != 0 {
		dst = append(dst, `,"cut":true`...)
	}
	return dst
}

// appendJSONInlined appends an object for each function that is inlined where the address is.
func appendJSONInlined(dst []byte, p *symbolizedFrame, separator *string) []byte {
	for _, in := range p.inlined {
		dst = append(dst, *separator...)
		*separator = ","
		dst = append(dst, `{"address":"0x`...)
		dst = append(appendHex(dst, p.addr), `","symbol":`...)
		dst = appendJSON(dst, in.Name)
		dst = append(dst, `,"inlined":true`...)
		dst = appendJSONAt(dst, in.File, in.Line)
		dst = append(dst, `,"module":`...)
		dst = append(appendJSON(dst, p.module), '}')
	}
	return dst
}
