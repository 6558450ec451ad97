// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"strings"
	"time"
)

// conversions are those of strftime(3) that make sense in a file's name, as Go
// spells them.
var conversions = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'j': "002",
	'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM",
	'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04",
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'h': "Jan",
	'z': "-0700", 'Z': "MST",
}

// strftime replaces the conversions in format; what it doesn't know stays.
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
		case format[i] == '%':
			b.WriteByte('%')
		default:
			b.WriteString(format[i-1 : i+1])
		}
	}
	return b.String()
}
