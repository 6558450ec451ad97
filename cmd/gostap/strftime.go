// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"strings"
	"time"
)

// conversions are those of strftime(3) that make sense in a file's name, with Go's
// layouts.
var conversions = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'j': "002",
	'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM",
	'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04",
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'h': "Jan",
	'z': "-0700", 'Z': "MST",
	'D': "01/02/06", 'x': "01/02/06", 'X': "15:04:05", 'r': "03:04:05 PM", 'P': "pm",
	'c': "Mon Jan _2 15:04:05 2006", 'e': "_2", 'n': "\n", 't': "\t",
}

// computed are those without a layout in Go.
var computed = map[byte]func(time.Time) string{
	'C': func(t time.Time) string { return fmt.Sprintf("%02d", t.Year()/100) },
	's': func(t time.Time) string { return fmt.Sprint(t.Unix()) },
	'u': func(t time.Time) string { return fmt.Sprint((int(t.Weekday())+6)%7 + 1) },
	'w': func(t time.Time) string { return fmt.Sprint(int(t.Weekday())) },
	'k': func(t time.Time) string { return fmt.Sprintf("%2d", t.Hour()) },
	'l': func(t time.Time) string { return fmt.Sprintf("%2d", (t.Hour()+11)%12+1) },
	'G': func(t time.Time) string { year, _ := t.ISOWeek(); return fmt.Sprint(year) },
	'V': func(t time.Time) string { _, week := t.ISOWeek(); return fmt.Sprintf("%02d", week) },
}

// strftime replaces the conversions in format; unknown ones stay.
func strftime(format string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		layout, known := conversions[format[i]]
		switch {
		case known:
			b.WriteString(t.Format(layout))
		case computed[format[i]] != nil:
			b.WriteString(computed[format[i]](t))
		case format[i] == '%':
			b.WriteByte('%')
		default:
			b.WriteString(format[i-1 : i+1])
		}
	}
	return b.String()
}
