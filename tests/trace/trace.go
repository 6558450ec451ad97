// SPDX-License-Identifier: GPL-2.0-or-later

// Package trace reads Perfetto's traces for tests.
package trace

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// A T reports what is wrong with a trace, as testing.T does.
type T interface {
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Field numbers and values of Perfetto's messages (protos/perfetto/trace), apart from the writer's own, so that a wrong one there is
// seen.
const (
	tracePacket = 1

	packetClockSnapshot = 6
	packetTimestamp     = 8
	packetSequence      = 10
	packetTrackEvent    = 11
	packetInterned      = 12
	packetFlags         = 13
	packetClockID       = 58
	packetDefaults      = 59
	packetTrack         = 60

	internedEventNames = 2
	internedArgNames   = 3
	internedValues     = 29

	sequence       = 1
	flagsFirst     = 1 // SEQ_INCREMENTAL_STATE_CLEARED
	clockMonotonic = 3

	sliceBegin = 1
	sliceEnd   = 2
	counted    = 4
)

// A field of a message: bytes, or a number.
type field struct {
	number protowire.Number
	value  uint64
	bytes  []byte
}

// fields reads a message.
func fields(t T, b []byte) (list []field) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatalf("%v", protowire.ParseError(n))
		}
		b = b[n:]
		f := field{number: number}
		switch kind {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		default:
			t.Fatalf("field %d is of wire type %d", number, kind)
		}
		if n < 0 {
			t.Fatalf("%v", protowire.ParseError(n))
		}
		b = b[n:]
		list = append(list, f)
	}
	return list
}

// one returns a message's field of that number, zero if it has none.
func one(list []field, number protowire.Number) field {
	for _, f := range list {
		if f.number == number {
			return f
		}
	}
	return field{}
}

// A reader interprets a trace as trace_processor does.
type reader struct {
	t      T
	tracks map[uint64]string
	names  map[uint64]string
	args   map[uint64]string
	values map[uint64]string
	open   map[uint64][]*slice
	lines  []*slice
}

type slice struct {
	track, name, args string
	begin             uint64
	duration          int64 // -1: it is open; -2: it has none
}

func (s *slice) String() string {
	at := fmt.Sprint(s.begin)
	switch s.duration {
	case -1:
		at += "+?"
	case -2:
	default:
		at += fmt.Sprintf("+%d", s.duration)
	}
	return strings.TrimRight(fmt.Sprintf("[%s] %s %s %s", s.track, at, s.name, s.args), " ")
}

// Read returns the lines of a trace, with those of processors' tracks if cpus is set:
//
// \t[TRACK] BEGIN+DURATION NAME {ARG=VALUE}…    a slice; of one that does not end the duration is ?
// \t[TRACK] TIME NAME {ARG=VALUE}…              an instant
// \t[TRACK] TIME = VALUE                        a counter
//
// Times are in nanoseconds.
func Read(t T, trace []byte, cpus bool) string {
	r := &reader{t: t, tracks: map[uint64]string{}, names: map[uint64]string{}, args: map[uint64]string{}, values: map[uint64]string{}, open: map[uint64][]*slice{}}
	for i, f := range fields(t, trace) {
		if f.number != tracePacket {
			t.Fatalf("field %d in a trace", f.number)
		}
		r.packet(i, fields(t, f.bytes))
	}
	var lines []string
	for _, s := range r.lines {
		if cpus || !strings.HasPrefix(s.track, "CPU") {
			lines = append(lines, s.String())
		}
	}
	return strings.Join(lines, "\n")
}

func (r *reader) packet(i int, p []field) {
	if one(p, packetSequence).value != sequence || (one(p, packetFlags).value == flagsFirst) != (i == 0) {
		r.t.Errorf("packet %d: sequence or flags are wrong", i)
	}
	if i == 0 && (len(fields(r.t, one(p, packetClockSnapshot).bytes)) != 3 || one(fields(r.t, one(p, packetDefaults).bytes), packetClockID).value != clockMonotonic) {
		r.t.Errorf("the first packet has no clocks")
	}
	for _, f := range p {
		switch f.number {
		case packetInterned:
			for _, entry := range fields(r.t, f.bytes) {
				known := map[protowire.Number]map[uint64]string{internedEventNames: r.names, internedArgNames: r.args, internedValues: r.values}[entry.number]
				e := fields(r.t, entry.bytes)
				known[one(e, 1).value] = r.text(one(e, 2))
			}
		case packetTrack:
			r.track(fields(r.t, f.bytes))
		case packetTrackEvent:
			r.event(one(p, packetTimestamp).value, fields(r.t, f.bytes))
		}
	}
}

func (r *reader) text(f field) string {
	if !utf8.Valid(f.bytes) {
		r.t.Errorf("%q is no UTF-8", f.bytes)
	}
	return string(f.bytes)
}

func (r *reader) track(d []field) {
	name := r.text(one(d, 2))
	if p := one(d, 3); p.bytes != nil {
		process := fields(r.t, p.bytes)
		name = fmt.Sprintf("%s %d", r.text(one(process, 6)), one(process, 1).value)
	}
	if th := one(d, 4); th.bytes != nil {
		thread := fields(r.t, th.bytes)
		name = fmt.Sprintf("%s %d", r.text(one(thread, 5)), one(thread, 2).value)
	}
	if parent := one(d, 5).value; parent != 0 {
		if _, ok := r.tracks[parent]; !ok {
			r.t.Errorf("the track %q is under one that there isn't", name)
		}
		name = r.tracks[parent] + "/" + name
	}
	r.tracks[one(d, 1).value] = name
}

func (r *reader) event(time uint64, e []field) {
	on := one(e, 11).value
	if _, ok := r.tracks[on]; !ok {
		r.t.Errorf("an event on the track %d, which there isn't", on)
	}
	s := &slice{track: r.tracks[on], name: r.names[one(e, 10).value], begin: time, duration: -2}
	if f := one(e, 23); f.bytes != nil {
		s.name = r.text(f)
	}
	for _, f := range e {
		if f.number == 4 {
			a := fields(r.t, f.bytes)
			value := r.text(one(a, 6))
			switch {
			case one(a, 17).value != 0:
				value = r.values[one(a, 17).value]
			case one(a, 6).bytes == nil:
				value = fmt.Sprint(int64(one(a, 4).value))
			}
			s.args += fmt.Sprintf("{%s=%s}", r.args[one(a, 1).value], value)
		}
	}
	switch one(e, 9).value {
	case sliceBegin:
		s.duration = -1
		r.open[on] = append(r.open[on], s)
	case sliceEnd:
		list := r.open[on]
		if len(list) == 0 {
			r.t.Errorf("at %d an end without a beginning on %s", time, s.track)
			return
		}
		last := list[len(list)-1]
		r.open[on] = list[:len(list)-1]
		last.duration = int64(time - last.begin)
		last.args += s.args
		return
	case counted:
		s.name = fmt.Sprint("= ", int64(one(e, 30).value))
	}
	r.lines = append(r.lines, s)
}
