// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"

	"gostap/translator/format"
)

// A fastFormat consists of text and of %d, %s, %x and %p without flags, as most formats do. It is
// formatted directly from the record, in half the time of format.Append.
type fastFormat struct {
	text string // before the first argument
	args []fastArg
	room int // bytes it takes at most, beside those of the payload
}

// A fastArg is an argument and the text behind it.
type fastArg struct {
	verb byte // 'd', 's', 'x' or 'p'
	text string
}

// newFastFormat returns nil for other formats.
func newFastFormat(dirs []format.Directive, args string) *fastFormat {
	f := &fastFormat{room: wide}
	text := &f.text
	for i := range dirs {
		switch d := &dirs[i]; {
		case d.Verb == 0:
			*text += d.Text
			f.room += len(d.Text)
		case d.Minus || d.Plus || d.Space || d.Sharp || d.Zero || d.WidthArg || d.PrecArg || d.HasPrec || d.Width != 0:
			return nil
		case len(args) > 0 && (d.Verb == 's' && args[0] == 's' || (d.Verb == 'd' || d.Verb == 'x' || d.Verb == 'p') && args[0] == 'l'):
			f.args = append(f.args, fastArg{verb: d.Verb})
			text = &f.args[len(f.args)-1].text
			f.room += longestInt
			args = args[1:]
		default:
			return nil
		}
	}
	return f
}

const (
	longestInt = 20 // -9223372036854775808
	wide       = 16 // bytes that are copied at once, even if fewer are needed
)

// append formats the arguments in payload. It reports
// false, and appends nothing, if payload is too short for them.
func (f *fastFormat) append(dst, payload []byte) ([]byte, bool) {
	if cap(dst)-len(dst) < f.room+len(payload) {
		dst = slices.Grow(dst, f.room+len(payload))
	}
	out, n := dst[:cap(dst)], len(dst)
	if f.text != "" {
		n += copy(out[n:], f.text)
	}
	for i := range f.args {
		a := &f.args[i]
		if a.verb == 's' {
			if len(payload) < 2 {
				return dst, false
			}
			length := int(binary.LittleEndian.Uint16(payload))
			if payload = payload[2:]; length > len(payload) {
				return dst, false
			}
			switch {
			case length <= wide/2 && len(payload) >= wide/2:
				*(*[wide / 2]byte)(out[n:]) = *(*[wide / 2]byte)(payload)
			case length <= wide && len(payload) >= wide:
				*(*[wide]byte)(out[n:]) = *(*[wide]byte)(payload)
			default:
				copy(out[n:], payload[:length])
			}
			n += length
			payload = payload[length:]
		} else {
			if len(payload) < 8 {
				return dst, false
			}
			v := binary.LittleEndian.Uint64(payload)
			switch payload = payload[8:]; a.verb {
			case 'd':
				n = putInt(out, n, int64(v))
			case 'p':
				binary.LittleEndian.PutUint16(out[n:], '0'|'x'<<8)
				n += 2
				fallthrough
			default:
				n = putHex(out, n, v)
			}
		}
		if len(a.text) == 1 {
			out[n] = a.text[0]
			n++
		} else {
			n += copy(out[n:], a.text)
		}
	}
	return out[:n], true
}

// putInt writes v in decimal to dst[at:], which has room for longestInt bytes, and
// returns the index behind it.
func putInt(dst []byte, at int, v int64) int {
	if uint64(v) >= 1e8 {
		return at + len(strconv.AppendInt(dst[at:at], v, 10))
	}
	u := uint32(v)
	size := digits(u)
	text := dst[at : at+size]
	for len(text) > 2 {
		rest := u / 100
		binary.LittleEndian.PutUint16(text[len(text)-2:], twoDigits[u-rest*100])
		text = text[:len(text)-2]
		u = rest
	}
	if len(text) == 2 {
		binary.LittleEndian.PutUint16(text, twoDigits[u])
	} else {
		text[0] = '0' + byte(u)
	}
	return at + size
}

// putHex is putInt in hexadecimal.
func putHex(dst []byte, at int, v uint64) int {
	size := (bits.Len64(v|1) + 3) / 4
	text := dst[at : at+size]
	for len(text) >= 2 {
		binary.LittleEndian.PutUint16(text[len(text)-2:], twoHexDigits[v&255])
		text = text[:len(text)-2]
		v >>= 8
	}
	if len(text) == 1 {
		text[0] = hexDigits[v]
	}
	return at + size
}

const hexDigits = "0123456789abcdef"

// twoHexDigits has the numbers up to 255 as two characters each.
var twoHexDigits = func() (pairs [256]uint16) {
	for i := range pairs {
		pairs[i] = uint16(hexDigits[i>>4]) | uint16(hexDigits[i&15])<<8
	}
	return pairs
}()

// twoDigits has the numbers up to 99 as two characters each.
var twoDigits = func() (pairs [100]uint16) {
	for i := range pairs {
		pairs[i] = uint16('0'+i/10) | uint16('0'+i%10)<<8
	}
	return pairs
}()

// digits returns how many digits u has; u < 1e8.
func digits(u uint32) int {
	switch {
	case u < 10:
		return 1
	case u < 100:
		return 2
	case u < 1000:
		return 3
	case u < 10000:
		return 4
	case u < 100000:
		return 5
	case u < 1000000:
		return 6
	case u < 10000000:
		return 7
	}
	return 8
}

// appendInt appends n in decimal.
func appendInt(dst []byte, n int64) []byte {
	dst = slices.Grow(dst, longestInt)
	end := len(dst)
	return dst[:putInt(dst[:cap(dst)], end, n)]
}
