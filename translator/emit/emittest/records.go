// SPDX-License-Identifier: GPL-2.0-or-later

package emittest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"gostap/manifest"
	"gostap/translator/format"
)

// A Result is the outcome of a run.
type Result struct {
	Output   string   // what the script printed
	Errors   []string // as a user sees them: text and position
	Warnings []string
	State    uint32 // GS_STATE_*
	Lost     uint64
	Skipped  uint64
	Hists    [][]int64 // those that were printed
}

// The kinds of records, as in runtime-c/include/protocol.h.
const (
	recPrint   = 1
	recText    = 2
	recHist    = 3
	recSystem  = 4
	recMessage = 16
	recStats   = 17
)

var errShort = errors.New("record is cut short")

// decode reads a stream of records.
func decode(data []byte, m *manifest.Manifest) (*Result, error) {
	var res Result
	var out bytes.Buffer
	for len(data) > 0 {
		if len(data) < 16 {
			return nil, errShort
		}
		size, kind := int(binary.LittleEndian.Uint32(data)), binary.LittleEndian.Uint16(data[4:])
		if size < 16 || size > len(data) {
			return nil, errShort
		}
		body := data[16:size]
		var err error
		switch kind {
		case recPrint:
			err = printRecord(&out, body, m)
		case recText:
			out.Write(body)
		case recHist:
			var counts []int64
			for b := body[4:]; len(b) >= 8; b = b[8:] {
				counts = append(counts, int64(binary.LittleEndian.Uint64(b)))
			}
			res.Hists = append(res.Hists, counts)
		case recSystem:
			fmt.Fprintf(&out, "system(%q)\n", body)
		case recMessage:
			err = res.message(body)
		case recStats:
			res.State = binary.LittleEndian.Uint32(body)
			res.Lost = binary.LittleEndian.Uint64(body[16:])
			for b := body[32:]; len(b) >= 8; b = b[8:] {
				res.Skipped += binary.LittleEndian.Uint64(b)
			}
		default:
			err = fmt.Errorf("unknown kind of record %d", kind)
		}
		if err != nil {
			return nil, err
		}
		data = data[min((size+7)&^7, len(data)):]
	}
	res.Output = out.String()
	return &res, nil
}

func printRecord(out *bytes.Buffer, b []byte, m *manifest.Manifest) error {
	if len(b) < 4 {
		return errShort
	}
	i := binary.LittleEndian.Uint32(b)
	b = b[4:]
	if int(i) >= len(m.Formats) {
		return fmt.Errorf("format %d of %d", i, len(m.Formats))
	}
	var args []format.Value
	for _, letter := range m.Formats[i].Args {
		if letter == 'l' {
			if len(b) < 8 {
				return errShort
			}
			args = append(args, format.Value{N: int64(binary.LittleEndian.Uint64(b))})
			b = b[8:]
			continue
		}
		var s []byte
		var err error
		if s, b, err = cutString(b); err != nil {
			return err
		}
		args = append(args, format.Value{S: s})
	}
	dirs, err := format.Parse(m.Formats[i].Format)
	if err != nil {
		return err
	}
	out.Write(format.Append(nil, dirs, args))
	if len(b) > 0 {
		return fmt.Errorf("%d bytes behind the arguments of %q", len(b), m.Formats[i].Format)
	}
	return nil
}

func cutString(b []byte) (s, rest []byte, err error) {
	if len(b) < 2 {
		return nil, nil, errShort
	}
	n := int(binary.LittleEndian.Uint16(b))
	if len(b) < 2+n {
		return nil, nil, errShort
	}
	return b[2 : 2+n], b[2+n:], nil
}

func (r *Result) message(b []byte) error {
	if len(b) < 4 {
		return errShort
	}
	kind := binary.LittleEndian.Uint32(b)
	b = b[4:]
	var parts [3][]byte
	var err error
	for i := range parts {
		if parts[i], b, err = cutString(b); err != nil {
			return err
		}
	}
	text := string(parts[0])
	if len(parts[1]) > 0 {
		text += " " + string(parts[1])
	}
	if kind == 2 {
		r.Warnings = append(r.Warnings, text)
	} else {
		r.Errors = append(r.Errors, text)
	}
	return nil
}
