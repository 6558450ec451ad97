// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"strconv"
)

// stackRecord returns the flags and the addresses, eight bytes each, of a GS_REC_STACK's payload.
func stackRecord(payload []byte) (flags uint32, addrs []byte, ok bool) {
	if len(payload) < 4 || len(payload)%8 != 4 {
		return 0, nil, false
	}
	return le32(payload), payload[4:], true
}

// A stackPrinter writes stacks as text. Most sessions have few different stacks, so it
// caches their text.
type stackPrinter struct {
	symbols *symbolizer
	texts   map[string]string // by payload
	kept    int               // bytes in texts
}

// keptTexts bounds the bytes of cached text.
const keptTexts = 64 << 20

func newStackPrinter(lines *kernelLines) *stackPrinter {
	return &stackPrinter{symbols: newSymbolizer(lines), texts: map[string]string{}}
}

// append appends the text of a GS_REC_STACK's payload. It reports false if the payload is malformed.
func (s *stackPrinter) append(dst, payload []byte) ([]byte, bool) {
	if text, ok := s.texts[string(payload)]; ok {
		return append(dst, text...), true
	}
	flags, addrs, ok := stackRecord(payload)
	if !ok {
		return dst, false
	}
	start := len(dst)
	dst, known := appendStack(dst, s.symbols, flags, addrs)
	if !known {
		return dst, true // a module with names for it may be loaded later
	}
	if s.kept > keptTexts {
		clear(s.texts)
		s.kept = 0
	}
	s.kept += len(payload) + len(dst) - start
	s.texts[string(payload)] = string(dst[start:])
	return dst, true
}

// appendStack appends a line for each address, as SystemTap has them:
//
//	0xffffffff81234567 : vfs_read+0x0/0x310 [kernel]
//	0xffffffff81234567 : vfs_read+0x0/0x310 at fs/read_write.c:451 [kernel]
//
// At a function's return the first two are the function and the return address. It
// reports whether all addresses have symbols.
func appendStack(dst []byte, syms *symbolizer, flags uint32, addrs []byte) ([]byte, bool) {
	known := true
	for i := 0; len(addrs) >= 8; i++ {
		switch {
		case flags&stackReturn != 0 && i == 0:
			dst = append(dst, "Returning from: "...)
		case flags&stackReturn != 0 && i == 1:
			dst = append(dst, "Returning to  : "...)
		}
		addr := binary.LittleEndian.Uint64(addrs)
		dst = append(dst, " 0x"...)
		dst = appendHex(dst, addr)
		p, ok := syms.find(addr)
		if ok {
			dst = append(dst, " : "...)
			dst = appendSymbolOffset(dst, &p)
			if flags&stackLines != 0 {
				dst = appendLine(dst, syms.lines, behindCall(addr, i))
			}
			dst = appendModule(dst, &p)
		}
		dst = append(dst, '\n')
		known = known && ok
		addrs = addrs[8:]
	}
	return dst, known
}

// behindCall returns an address whose line is that of the stack's i-th address: for return addresses, the call's.
func behindCall(addr uint64, i int) uint64 {
	if i == 0 {
		return addr
	}
	return addr - 1
}

// appendLine appends at fs/read_write.c:451, if that is known.
func appendLine(dst []byte, lines *kernelLines, addr uint64) []byte {
	file, line := lines.find(addr)
	return appendAt(dst, file, line)
}

// appendAt appends at fs/read_write.c:451; nothing if the file is "".
func appendAt(dst []byte, file string, line int) []byte {
	if file == "" {
		return dst
	}
	dst = append(dst, " at "...)
	dst = append(dst, file...)
	dst = append(dst, ':')
	return strconv.AppendInt(dst, int64(line), 10)
}

// appendSymbolOffset appends vfs_read+0x0/0x310.
func appendSymbolOffset(dst []byte, p *symbolized) []byte {
	dst = append(dst, p.name...)
	dst = append(dst, "+0x"...)
	dst = appendHex(dst, p.offset)
	if p.size != 0 {
		dst = append(dst, "/0x"...)
		dst = appendHex(dst, p.size)
	}
	return dst
}

// appendModule appends [kernel].
func appendModule(dst []byte, p *symbolized) []byte {
	dst = append(dst, " ["...)
	dst = append(dst, p.moduleName()...)
	return append(dst, ']')
}

func (p *symbolized) moduleName() string {
	if len(p.module) == 0 {
		return "kernel"
	}
	return string(p.module)
}

// appendJSONStack appends an array with an object for each address, innermost
// first; members that are not known are left out.
func appendJSONStack(dst []byte, syms *symbolizer, flags uint32, addrs []byte) []byte {
	if flags&stackReturn != 0 {
		dst = append(dst, `,"return":true`...)
	}
	dst = append(dst, `,"stack":[`...)
	separator := ""
	for i := 0; len(addrs) >= 8; i++ {
		addr := binary.LittleEndian.Uint64(addrs)
		dst = append(dst, separator...)
		separator = ","
		dst = append(dst, `{"address":"0x`...)
		dst = append(appendHex(dst, addr), '"')
		if p, ok := syms.find(addr); ok {
			dst = append(dst, `,"symbol":`...)
			dst = appendJSON(dst, p.name)
			dst = append(dst, `,"offset":`...)
			dst = strconv.AppendUint(dst, p.offset, 10)
			dst = append(dst, `,"module":`...)
			dst = appendJSON(dst, p.moduleName())
		}
		if flags&stackLines != 0 {
			file, line := syms.lines.find(behindCall(addr, i))
			dst = appendJSONAt(dst, file, line)
		}
		dst = append(dst, '}')
		addrs = addrs[8:]
	}
	return append(dst, ']')
}

// appendJSONAt appends members for a place in the source; none if the file is "".
func appendJSONAt(dst []byte, file string, line int) []byte {
	if file == "" {
		return dst
	}
	dst = append(dst, `,"file":`...)
	dst = appendJSON(dst, file)
	dst = append(dst, `,"line":`...)
	return strconv.AppendInt(dst, int64(line), 10)
}

func appendHex(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 16) }
