// SPDX-License-Identifier: GPL-2.0-or-later

package format

import (
	"cmp"
	"encoding/binary"
	"strconv"
)

// A Value is one argument: a number in N or a string in S, depending on the directive that it belongs
// to.
type Value struct {
	N int64
	S []byte
}

// Append formats args by dirs and appends the text to dst. Missing arguments count as 0 and "".
func Append(dst []byte, dirs []Directive, args []Value) []byte {
	for i := range dirs {
		d := &dirs[i]
		if d.Verb == 0 {
			dst = append(dst, d.Text...)
			continue
		}
		if d.plain && len(args) > 0 {
			if d.Verb == 's' {
				dst = append(dst, args[0].S...)
			} else {
				dst = strconv.AppendInt(dst, args[0].N, 10)
			}
			args = args[1:]
			continue
		}
		dst, args = appendFull(dst, d, args)
	}
	return dst
}

func appendFull(dst []byte, d *Directive, args []Value) ([]byte, []Value) {
	s := spec{width: d.Width, prec: -1, left: d.Minus, zero: d.Zero}
	if d.HasPrec {
		s.prec = d.Precision
	}
	var v Value
	if d.WidthArg {
		v, args = shift(args)
		if v.N < 0 {
			s.left = true
			v.N = -max(v.N, -MaxWidth)
		}
		s.width = int(min(v.N, MaxWidth))
	}
	if d.PrecArg {
		v, args = shift(args)
		s.prec = int(min(max(v.N, -1), MaxWidth))
	}
	v, args = shift(args)
	switch d.Verb {
	case 'd':
		return s.signed(dst, d, v.N), args
	case 'u':
		return s.unsigned(dst, v.N, 10, "", false), args
	case 'o':
		return s.octal(dst, v.N, d.Sharp), args
	case 'x', 'X':
		prefix := ""
		if d.Sharp && v.N != 0 {
			prefix = "0" + string(d.Verb)
		}
		return s.unsigned(dst, v.N, 16, prefix, d.Verb == 'X'), args
	case 'p':
		return s.unsigned(dst, v.N, 16, "0x", false), args
	case 'b':
		return s.binary(dst, v.N), args
	case 'c':
		return s.char(dst, byte(v.N), d.Sharp), args
	case 's':
		return s.text(dst, v.S, d.Sharp), args
	case 'm':
		return s.text(dst, v.S, false), args
	case 'M':
		return s.hex(dst, v.S), args
	}
	return dst, args
}

func shift(args []Value) (Value, []Value) {
	if len(args) == 0 {
		return Value{}, nil
	}
	return args[0], args[1:]
}

// A spec is a directive's width and flags, with the values of its * arguments.
type spec struct {
	width, prec int // prec is -1 if there is none
	left, zero  bool
}

// signed appends n for %d.
func (s spec) signed(dst []byte, d *Directive, n int64) []byte {
	sign := ""
	u := uint64(n)
	switch {
	case n < 0:
		sign = "-"
		u = -u
	case d.Plus:
		sign = "+"
	case d.Space:
		sign = " "
	}
	return s.digits(dst, sign, u, 10, false)
}

func (s spec) unsigned(dst []byte, n int64, base int, prefix string, upper bool) []byte {
	return s.digits(dst, prefix, uint64(n), base, upper)
}

// octal appends n for %o; # makes the first digit a 0.
func (s spec) octal(dst []byte, n int64, sharp bool) []byte {
	if sharp {
		var tmp [24]byte
		if digits := len(strconv.AppendUint(tmp[:0], uint64(n), 8)); n == 0 {
			if s.prec == 0 {
				s.prec = 1
			}
		} else if s.prec <= digits {
			if s.prec >= 0 || !s.zero || s.left || s.width <= digits {
				s.prec = digits + 1
			}
		}
	}
	return s.digits(dst, "", uint64(n), 8, false)
}

// digits appends prefix and u, padded to the width and precision.
func (s spec) digits(dst []byte, prefix string, u uint64, base int, upper bool) []byte {
	var tmp [64]byte
	num := strconv.AppendUint(tmp[:0], u, base)
	if s.prec == 0 && u == 0 {
		num = num[:0]
	}
	zeros := max(s.prec-len(num), 0)
	pad := max(s.width-len(prefix)-zeros-len(num), 0)
	if s.zero && !s.left && s.prec < 0 {
		zeros, pad = zeros+pad, 0
	}
	if !s.left {
		dst = fill(dst, ' ', pad)
	}
	dst = append(dst, prefix...)
	dst = fill(dst, '0', zeros)
	if upper {
		for i, c := range num {
			if c >= 'a' {
				num[i] = c - 'a' + 'A'
			}
		}
	}
	dst = append(dst, num...)
	if s.left {
		dst = fill(dst, ' ', pad)
	}
	return dst
}

// text appends b, no more than precision bytes of it.
func (s spec) text(dst, b []byte, escape bool) []byte {
	if s.prec >= 0 && s.prec < len(b) {
		b = b[:s.prec]
	}
	start := len(dst)
	if !escape {
		return s.pad(append(dst, b...), start)
	}
	for _, c := range b {
		dst = appendEscaped(dst, c)
	}
	return s.pad(dst, start)
}

func (s spec) char(dst []byte, c byte, escape bool) []byte {
	start := len(dst)
	switch {
	case escape && c == '\'':
		dst = append(dst, '\\', c)
	case escape:
		dst = appendEscaped(dst, c)
	default:
		dst = append(dst, c)
	}
	return s.pad(dst, start)
}

// hex appends two digits for each of b's bytes.
func (s spec) hex(dst, b []byte) []byte {
	if s.prec >= 0 && s.prec < len(b) {
		b = b[:s.prec]
	}
	start := len(dst)
	const digits = "0123456789abcdef"
	for _, c := range b {
		dst = append(dst, digits[c>>4], digits[c&15])
	}
	return s.pad(dst, start)
}

// pad pads the text appended since start to the width.
func (s spec) pad(dst []byte, start int) []byte {
	n := len(dst) - start
	if n >= s.width {
		return dst
	}
	dst = fill(dst, ' ', s.width-n)
	if !s.left {
		copy(dst[start+s.width-n:], dst[start:start+n])
		for i := range s.width - n {
			dst[start+i] = ' '
		}
	}
	return dst
}

// binary appends the lowest bytes of n, in the target's (little-endian) order: their number is the
// precision, or else the width if that is a size of integers. Bytes of 0 fill the width.
func (s spec) binary(dst []byte, n int64) []byte {
	size := cmp.Or(numberSize(s.prec), numberSize(s.width), 8)
	fill := max(s.width-size, 0)
	if !s.left {
		dst = append(dst, make([]byte, fill)...)
	}
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], uint64(n))
	dst = append(dst, bytes[:size]...)
	if s.left {
		dst = append(dst, make([]byte, fill)...)
	}
	return dst
}

// numberSize is n if that is a size of integers in bytes, else 0.
func numberSize(n int) int {
	switch n {
	case 1, 2, 4, 8:
		return n
	}
	return 0
}

// appendEscaped appends c as in a string literal.
func appendEscaped(dst []byte, c byte) []byte {
	const from, to = "\a\b\f\n\r\t\v\"\\", "abfnrtv\"\\"
	for i := range len(from) {
		if c == from[i] {
			return append(dst, '\\', to[i])
		}
	}
	if c < ' ' || c >= 0x7f {
		return append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
	}
	return append(dst, c)
}

func fill(dst []byte, c byte, n int) []byte {
	for range n {
		dst = append(dst, c)
	}
	return dst
}
