// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"io"

	"gostap/manifest"
)

// A sink formats records for the user.
type sink interface {
	// record appends a record of GS_REC_PRINT, TEXT, HIST, STACK, USTACK, SYSTEM or SWITCH_FILE to dst.
	// It reports false if the record is malformed.
	record(dst []byte, cpu int, r *record, payload []byte) ([]byte, bool)
}

// A Collector makes something else of a session's records than lines: Stacks, Shown, Trace.
type Collector interface {
	newSink(*sources) (sink, error)
}

// sources are the data that are needed to format records.
type sources struct {
	manifest *manifest.Manifest
	formats  []printFormat
	clock    *clock
	images   *images      // nil without programs' stacks
	lines    *kernelLines // nil if none are known
}

// text returns a sink that writes records as text.
func (s *sources) text(blocks bool) *textSink {
	return &textSink{formats: s.formats, hists: s.manifest.Hists, stacks: newStackPrinter(s.lines), ustacks: newUstackPrinter(s.images), blocks: blocks}
}

// An output collects its sink's text, and writes it in large pieces.
type output struct {
	sink    sink
	w       io.Writer
	bulk    *bulkSink    // instead of w; nil: none
	events  *eventSink   // in addition; nil: none
	writing func([]byte) // Config.Writing
	buf     []byte
	taken   uint64           // records in buf
	written uint64           // records that w has taken
	failed  error            // the error of w; nothing is written any more
	fail    func(err error)  // is called once, with the error
	system  func(cmd string) // runs a command of system(), nil if there are none
	files   *Files           // w, if it is files
	bad     uint64           // malformed records
}

// flushAt is the number of bytes that are collected before they are written.
const flushAt = 64 << 10

// newOutput returns the output of a session; im is nil where it has no programs' stacks, and lines where none of the kernel are known.
func newOutput(cfg *Config, m *manifest.Manifest, clock *clock, im *images, lines *kernelLines) (*output, error) {
	formats, err := parseFormats(m)
	if err != nil {
		return nil, err
	}
	o := &output{w: cfg.output(), writing: cfg.Writing, buf: make([]byte, 0, flushAt+64<<10)}
	o.files, _ = cfg.Output.(*Files)
	from := &sources{m, formats, clock, im, lines}
	if cfg.Collector != nil {
		if o.sink, err = cfg.Collector.newSink(from); err != nil {
			return nil, err
		}
	} else if cfg.JSON {
		o.sink = newJSONSink(m, formats, clock, im, lines)
	} else {
		text := from.text(cfg.Blocks)
		text.escape = cfg.Terminal
		o.sink = text
	}
	if cfg.Bulk != nil {
		o.bulk = &bulkSink{sink: o.sink, to: cfg.Bulk}
		o.sink = o.bulk
	}
	var others []sink
	if cfg.Events != nil {
		o.events = &eventSink{tell: cfg.Events, text: from.text(cfg.Blocks), probes: m.Points, clock: clock}
		others = append(others, o.events)
	}
	if cfg.Samples != nil {
		samples, err := cfg.Samples.newSink(from)
		if err != nil {
			return nil, err
		}
		others = append(others, samples)
	}
	if others != nil {
		o.sink = &teeSink{o.sink, others}
	}
	return o, nil
}

// record formats one record.
func (o *output) record(cpu int, r *record, payload []byte) {
	buf, ok := o.sink.record(o.buf, cpu, r, payload)
	o.buf = buf
	o.taken++
	if !ok || len(buf) >= flushAt || r.acts() {
		o.recordSlow(ok, r, payload)
	}
}

// recordSlow handles the rare kinds of records.
func (o *output) recordSlow(ok bool, r *record, payload []byte) {
	if !ok {
		o.bad++
	}
	if r.kind == recSystem && ok && o.system != nil {
		o.flush()
		o.system(string(payload))
	}
	if r.kind == recSwitchFile && o.files != nil {
		o.flush()
		o.note(o.files.Switch())
	}
	if len(o.buf) >= flushAt {
		o.flush()
	}
}

// acts reports whether a record causes an action, beside being written.
func (r *record) acts() bool { return r.kind == recSystem || r.kind == recSwitchFile }

// note stores the first error in writing, and reports it.
func (o *output) note(err error) {
	if err != nil && o.failed == nil {
		o.failed = err
		if o.fail != nil {
			o.fail(err)
		}
	}
}

// flush writes what has been collected.
func (o *output) flush() {
	if o.failed == nil {
		switch {
		case o.bulk != nil:
			o.note(o.bulk.flush())
		case len(o.buf) > 0:
			if o.writing != nil {
				o.writing(o.buf)
			}
			_, err := o.w.Write(o.buf)
			o.note(err)
		}
	}
	if o.events != nil {
		o.events.flush()
	}
	if o.failed == nil {
		o.written += o.taken
	}
	o.buf, o.taken = o.buf[:0], 0
}
