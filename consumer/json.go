// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"math/bits"
	"unicode/utf8"

	"gostap/manifest"
	"gostap/translator/format"
)

// clock turns the times of records into nanoseconds since boot.
type clock struct {
	now uint64 // a moment on the clock of records
	ns  uint64 // the same in CLOCK_MONOTONIC
	khz uint32 // ticks per ms; 0: times are ns
}

func (c *clock) nanoseconds(time uint64) uint64 {
	if time >= c.now {
		return c.ns + c.ticks(time-c.now)
	}
	return c.ns - c.ticks(c.now-time)
}

func (c *clock) ticks(n uint64) uint64 {
	if c.khz == 0 {
		return n
	}
	hi, lo := bits.Mul64(n, 1e6)
	ns, _ := bits.Div64(hi%uint64(c.khz), lo, uint64(c.khz))
	return ns
}

// jsonSink writes an object a line for each record:
//
//	{"time":81230001,"cpu":0,"probe":"kernel.function(\"vfs_read\")","format":"%s %d\n","args":["dd",1]}
//	{"time":81230001,"cpu":0,"probe":"end","text":"bye\n"}
//	{"time":81230001,"cpu":0,"probe":"end","histogram":[{"value":1,"count":3},{"value":2,"count":1}]}
//	{"time":81230001,"cpu":0,"probe":"end","stack":[{"address":"0xffffffff81234567","symbol":"vfs_read","offset":0,"module":"kernel"}]}
//	{"time":81230001,"cpu":0,"probe":"end","ustack":[{"address":"0x401136","symbol":"main","offset":16,"module":"/path/prog","linked":"0x401136"}]}
//	{"time":81230001,"cpu":0,"probe":"begin","system":"date"}
//
// time is nanoseconds since boot; records of one handler run share it. Empty
// buckets are left out; the outer buckets of a linear histogram have "below" or
// "above" in place of "low". Bytes that are not UTF-8 become U+FFFD.
type jsonSink struct {
	manifest *manifest.Manifest
	formats  []printFormat
	clock    *clock
	symbols  *symbolizer
	images   *images
	values   []format.Value
	probes   []string // "probe" and its value, for each point
	prints   []string // "format" and its value and how "args" begins, for each format
}

func newJSONSink(m *manifest.Manifest, formats []printFormat, clock *clock, im *images, lines *kernelLines) *jsonSink {
	j := &jsonSink{manifest: m, formats: formats, clock: clock, symbols: newSymbolizer(lines), images: im}
	for _, p := range m.Points {
		j.probes = append(j.probes, `,"probe":`+string(appendJSON(nil, p.Name)))
	}
	for _, f := range m.Formats {
		j.prints = append(j.prints, `,"format":`+string(appendJSON(nil, f.Format))+`,"args":[`)
	}
	return j
}

func (j *jsonSink) record(dst []byte, cpu int, r *record, payload []byte) ([]byte, bool) {
	start := len(dst)
	dst = append(dst, `{"time":`...)
	dst = appendInt(dst, int64(j.clock.nanoseconds(r.time)))
	dst = append(dst, `,"cpu":`...)
	dst = appendInt(dst, int64(cpu))
	if int(r.point) < len(j.probes) {
		dst = append(dst, j.probes[r.point]...)
	}
	switch r.kind {
	case recPrint:
		index, values, ok := printRecord(j.values[:0], j.formats, payload)
		j.values = values
		if !ok {
			return dst[:start], false
		}
		dst = append(dst, j.prints[index]...)
		args := j.formats[index].args
		for i, v := range values {
			if i > 0 {
				dst = append(dst, ',')
			}
			if args[i] == 's' {
				dst = appendJSON(dst, v.S)
			} else {
				dst = appendInt(dst, v.N)
			}
		}
		dst = append(dst, ']')
	case recText:
		dst = append(dst, `,"text":`...)
		dst = appendJSON(dst, payload)
	case recHist:
		h, counts, ok := histRecord(j.manifest.Hists, payload)
		if !ok {
			return dst[:start], false
		}
		dst = appendJSONHist(dst, h, counts)
	case recStack:
		flags, addrs, ok := stackRecord(payload)
		if !ok {
			return dst[:start], false
		}
		dst = appendJSONStack(dst, j.symbols, flags, addrs)
	case recUstack:
		stack, ok := ustackRecord(payload)
		if !ok || j.images == nil {
			return dst[:start], false
		}
		dst = appendJSONUstack(dst, j.images, stack)
	case recSystem:
		dst = append(dst, `,"system":`...)
		dst = appendJSON(dst, payload)
	case recSwitchFile, recTask:
		return dst[:start], true
	default:
		return dst[:start], false
	}
	return append(dst, "}\n"...), true
}

func appendJSONHist(dst []byte, h *manifest.Hist, counts []int64) []byte {
	dst = append(dst, `,"histogram":[`...)
	separator := ""
	for i, count := range counts {
		if count == 0 {
			continue
		}
		key, value := `{"value":`, bucketValue(h, i, len(counts))
		switch {
		case h.Linear && i == 0:
			key, value = `{"below":`, h.Low
		case h.Linear && i == len(counts)-1:
			key, value = `{"above":`, bucketValue(h, i-1, len(counts))
		}
		dst = append(dst, separator...)
		dst = append(dst, key...)
		dst = appendInt(dst, value)
		dst = append(dst, `,"count":`...)
		dst = appendInt(dst, count)
		dst = append(dst, '}')
		separator = ","
	}
	return append(dst, ']')
}

// appendJSON appends s as a JSON string.
func appendJSON[T string | []byte](dst []byte, s T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	clean := 0 // start of the text that needs no escape
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[clean:i]...)
		size := 1
		switch {
		case c >= utf8.RuneSelf:
			var r rune
			r, size = utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			dst = utf8.AppendRune(dst, r)
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i += size
		clean = i
	}
	dst = append(dst, s[clean:]...)
	return append(dst, '"')
}
