// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"

	"github.com/pkg/errors"

	"gostap/manifest"
	"gostap/translator/format"
)

// A printFormat is one of the manifest's formats, parsed.
type printFormat struct {
	dirs []format.Directive
	args string
	fast *fastFormat // nil for a format that takes format.Append
}

func parseFormats(m *manifest.Manifest) ([]printFormat, error) {
	formats := make([]printFormat, len(m.Formats))
	for i, f := range m.Formats {
		dirs, err := format.Parse(f.Format)
		if err != nil {
			return nil, errors.Wrapf(err, "format %q of the module", f.Format)
		}
		formats[i] = printFormat{dirs, f.Args, newFastFormat(dirs, f.Args)}
	}
	return formats, nil
}

// printArgs reads the arguments of a GS_REC_PRINT into values. The strings in
// values lie in payload.
func printArgs(values []format.Value, args string, payload []byte) ([]format.Value, bool) {
	for i := range len(args) {
		if args[i] == 's' {
			if len(payload) < 2 {
				return values, false
			}
			end := 2 + int(binary.LittleEndian.Uint16(payload))
			if end > len(payload) {
				return values, false
			}
			values = append(values, format.Value{S: payload[2:end]})
			payload = payload[end:]
			continue
		}
		if len(payload) < 8 {
			return values, false
		}
		values = append(values, format.Value{N: int64(binary.LittleEndian.Uint64(payload))})
		payload = payload[8:]
	}
	return values, true
}

// printRecord returns the format and the arguments of a GS_REC_PRINT's
// payload, which it reads into values.
func printRecord(values []format.Value, formats []printFormat, payload []byte) (int, []format.Value, bool) {
	if len(payload) < 4 {
		return 0, values, false
	}
	index := int(binary.LittleEndian.Uint32(payload))
	if index >= len(formats) {
		return 0, values, false
	}
	values, ok := printArgs(values, formats[index].args, payload[4:])
	return index, values, ok
}

// textSink writes what the script prints.
type textSink struct {
	formats []printFormat
	hists   []manifest.Hist
	stacks  *stackPrinter
	ustacks *ustackPrinter
	blocks  bool // Config.Blocks
	escape  bool // Config.Terminal
	values  []format.Value
}

func (t *textSink) record(dst []byte, cpu int, r *record, payload []byte) ([]byte, bool) {
	if t.escape {
		return t.escaped(dst, r.kind, payload)
	}
	if r.kind == recPrint && len(payload) >= 4 {
		if i := int(le32(payload)); i < len(t.formats) && t.formats[i].fast != nil {
			return t.formats[i].fast.append(dst, payload[4:])
		}
	}
	return t.general(dst, r.kind, payload)
}

// escaped takes all records, and escapes strings, but not what the script has written in its formats.
func (t *textSink) escaped(dst []byte, kind uint16, payload []byte) ([]byte, bool) {
	if kind != recPrint {
		text, ok := t.general(nil, kind, payload)
		return append(dst, printable(text)...), ok
	}
	index, values, ok := printRecord(t.values[:0], t.formats, payload)
	t.values = values
	if !ok {
		return dst, false
	}
	for i := range values {
		values[i].S = printable(values[i].S)
	}
	return format.Append(dst, t.formats[index].dirs, values), true
}

// general takes all records.
func (t *textSink) general(dst []byte, kind uint16, payload []byte) ([]byte, bool) {
	switch kind {
	case recPrint:
		index, values, ok := printRecord(t.values[:0], t.formats, payload)
		t.values = values
		if !ok {
			return dst, false
		}
		return format.Append(dst, t.formats[index].dirs, values), true
	case recText:
		return append(dst, payload...), true
	case recHist:
		h, counts, ok := histRecord(t.hists, payload)
		if !ok {
			return dst, false
		}
		return drawHist(dst, h, counts, t.blocks), true
	case recStack:
		return t.stacks.append(dst, payload)
	case recUstack:
		return t.ustacks.append(dst, payload)
	case recSystem, recSwitchFile, recTask:
		return dst, true
	}
	return dst, false
}
