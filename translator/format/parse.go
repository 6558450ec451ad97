// SPDX-License-Identifier: GPL-2.0-or-later

package format

import (
	"fmt"
	"strings"
)

// MaxWidth is the largest width and precision. Larger ones are an error in a format, and are reduced to
// it in an argument.
const MaxWidth = 8192

// A Directive is a piece of a format: text that is copied, or a conversion.
type Directive struct {
	Verb      byte   // one of b c d m M o p s u x X; 0 for text (%i is d)
	Text      string // with Verb 0: the text that is copied; never empty
	Minus     bool   // - flush left
	Plus      bool   // + a sign on positive numbers too
	Space     bool   // a space in the place of a +
	Sharp     bool   // # the alternate form
	Zero      bool   // 0 fill up with zeros
	WidthArg  bool   // * the width is an argument
	PrecArg   bool   // .* the precision is an argument
	HasPrec   bool   // a precision is given, as a number
	Width     int    // 0 if none is given
	Precision int    // with HasPrec

	plain bool // a bare %d or %s
}

// Kind is the type of an argument.
type Kind uint8

const (
	Long    Kind = iota // a number
	String              // a string
	Address             // a number in the script, a string for Append: %m, %M
)

// Kinds appends to dst the kinds of d's arguments, in order: width, precision, value.
func (d *Directive) Kinds(dst []Kind) []Kind {
	if d.WidthArg {
		dst = append(dst, Long)
	}
	if d.PrecArg {
		dst = append(dst, Long)
	}
	switch d.Verb {
	case 0:
		return dst
	case 's':
		return append(dst, String)
	case 'm', 'M':
		return append(dst, Address)
	}
	return append(dst, Long)
}

// An Error describes what is wrong with a format, and where.
type Error struct {
	Offset int // in bytes, of the directive's % in the format
	Msg    string
}

func (e *Error) Error() string { return e.Msg }

// Parse splits a format into its directives; the error is an *Error.
func Parse(format string) ([]Directive, error) {
	var dirs []Directive
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			dirs = append(dirs, Directive{Text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(format); {
		n := strings.IndexByte(format[i:], '%')
		if n < 0 {
			text.WriteString(format[i:])
			break
		}
		text.WriteString(format[i : i+n])
		i += n
		if strings.HasPrefix(format[i:], "%%") {
			text.WriteByte('%')
			i += 2
			continue
		}
		flush()
		d, end, msg := directive(format, i+1)
		if msg != "" {
			return nil, &Error{Offset: i, Msg: msg}
		}
		dirs = append(dirs, d)
		i = end
	}
	flush()
	return dirs, nil
}

// directive parses the rest of a directive, behind the % before format[i:], and returns the index
// behind it, or what is wrong.
func directive(format string, i int) (d Directive, end int, wrong string) {
	start := i - 1
	i = d.flags(format, i)
	var ok bool
	if i < len(format) && format[i] == '*' {
		d.WidthArg = true
		i++
	} else if d.Width, i, ok = number(format, i); !ok {
		return d, i, fmt.Sprintf("width in %s is larger than %d", format[start:i], MaxWidth)
	}
	if i < len(format) && format[i] == '.' {
		i++
		if i < len(format) && format[i] == '*' {
			d.PrecArg = true
			i++
		} else {
			d.HasPrec = true
			if d.Precision, i, ok = number(format, i); !ok {
				return d, i, fmt.Sprintf("precision in %s is larger than %d", format[start:i], MaxWidth)
			}
		}
	}
	for n := 0; n < 2 && i < len(format) && format[i] == 'l'; n++ {
		i++
	}
	if i == len(format) {
		return d, i, fmt.Sprintf("format ends in the middle of %s", format[start:])
	}
	switch c := format[i]; c {
	case 'b', 'c', 'd', 'm', 'M', 'o', 'p', 's', 'u', 'x', 'X':
		d.Verb = c
	case 'i':
		d.Verb = 'd'
	default:
		return d, i, fmt.Sprintf("unknown conversion %s; there are %%b %%c %%d %%i %%m %%M %%o %%p %%s %%u %%x %%X %%%%", quoteEnd(format, start, i))
	}
	i++
	d.plain = format[start:i] == "%d" || format[start:i] == "%s" || format[start:i] == "%i"
	return d, i, ""
}

// quoteEnd is format[start:i] with the whole character that begins at i.
func quoteEnd(format string, start, i int) string {
	for _, r := range format[i:] {
		return fmt.Sprintf("%s%c", format[start:i], r)
	}
	return format[start:i]
}

func (d *Directive) flags(format string, i int) int {
	for ; i < len(format); i++ {
		switch format[i] {
		case '-':
			d.Minus = true
		case '+':
			d.Plus = true
		case ' ':
			d.Space = true
		case '#':
			d.Sharp = true
		case '0':
			d.Zero = true
		default:
			return i
		}
	}
	return i
}

func number(format string, i int) (n, end int, ok bool) {
	ok = true
	for ; i < len(format) && '0' <= format[i] && format[i] <= '9'; i++ {
		if n = n*10 + int(format[i]-'0'); n > MaxWidth {
			n, ok = MaxWidth, false
		}
	}
	return n, i, ok
}

// Quote returns a format that prints s: with %% for %.
func Quote(s string) string { return strings.ReplaceAll(s, "%", "%%") }
