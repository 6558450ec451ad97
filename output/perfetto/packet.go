// SPDX-License-Identifier: GPL-2.0-or-later

package perfetto

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"
)

// The messages of Perfetto's protos/perfetto/trace/*.proto that are written here, with the numbers of
// their fields. Readers skip fields that they don't know, and none of these has changed since its
// introduction.
//
// \tTrace            packet = 1
// \tTracePacket      clock_snapshot = 6, timestamp = 8, trusted_packet_sequence_id = 10, track_event =
// 11, interned_data = 12,
// \t                 sequence_flags = 13, timestamp_clock_id = 58, trace_packet_defaults = 59,
// track_descriptor = 60
// \tClockSnapshot    clocks = 1 { clock_id = 1, timestamp = 2 }
// \tTrackDescriptor  uuid = 1, name = 2, process = 3, thread = 4, parent_uuid = 5, counter = 8,
// child_ordering = 11, sibling_order_rank = 12
// \tTrackEvent       debug_annotations = 4, type = 9, name_iid = 10, track_uuid = 11, name = 23,
// counter_value = 30
// \tDebugAnnotation  name_iid = 1, int_value = 4, string_value = 6, string_value_iid = 17
// \tInternedData     event_names = 2, debug_annotation_names = 3, debug_annotation_string_values = 29,
// each { iid = 1, name or str = 2 }
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
)

// Values in every packet: all are of one sequence, whose packets refer to names by numbers that earlier
// packets have defined.
const (
	sequence          = 1
	flagsFirst        = 1 // SEQ_INCREMENTAL_STATE_CLEARED
	flagsAfter        = 2 // SEQ_NEEDS_INCREMENTAL_STATE
	clockRealtime     = 1 // BUILTIN_CLOCK_*
	clockMonotonic    = 3
	clockBoottime     = 6
	maxNames          = 1 << 16 // maximal number of interned names; further ones are written out
	maxValues         = 1 << 18 // the same for values,
	maxValueBytes     = 64 << 20
	shortValue        = 16 // shorter values are not interned
	defaultsTimestamp = packetClockID
)

// The types of TrackEvent.
const (
	sliceBegin = 1
	sliceEnd   = 2
	instant    = 3
	counted    = 4
)

// Clocks are the clocks' readings at one time, in ns.
type Clocks struct{ Realtime, Monotonic, Boottime uint64 }

// A message is a protobuf message that is being written.
type message []byte

func (m message) varint(field protowire.Number, v uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

func (m message) bytes(field protowire.Number, v []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), v)
}

func (m message) text(field protowire.Number, v string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), v)
}

// packets are the packets that have not been taken yet.
type packets struct {
	out             message
	packet          message // the following fields are those of the packet that is being written
	event, interned message
	arg             message
	events, args    map[string]uint64 // numbers of interned names
	values          map[string]uint64 // numbers of interned values, such as stacks, which repeat
	valueBytes      int
}

// take appends the packets to dst.
func (p *packets) take(dst []byte) []byte {
	dst = append(dst, p.out...)
	p.out = p.out[:0]
	return dst
}

// end appends the current packet.
func (p *packets) end(flags uint64) {
	p.packet = p.packet.varint(packetSequence, sequence).varint(packetFlags, flags)
	p.out = p.out.bytes(tracePacket, p.packet)
	p.packet = p.packet[:0]
}

// begin writes the packets that all others depend on.
func (p *packets) begin(c Clocks) {
	p.events, p.args, p.values = map[string]uint64{}, map[string]uint64{}, map[string]uint64{}
	var snapshot message
	for _, clock := range []struct{ id, at uint64 }{{clockBoottime, c.Boottime}, {clockMonotonic, c.Monotonic}, {clockRealtime, c.Realtime}} {
		snapshot = snapshot.bytes(1, message(nil).varint(1, clock.id).varint(2, clock.at))
	}
	p.packet = p.packet.bytes(packetClockSnapshot, snapshot)
	p.packet = p.packet.bytes(packetDefaults, message(nil).varint(defaultsTimestamp, clockMonotonic))
	p.end(flagsFirst)
}

// intern returns the number of a name, which the packet defines if it is new, as shown; 0 if there are
// too many.
func (p *packets) intern(known map[string]uint64, most int, field protowire.Number, name, shown string) uint64 {
	id := known[name]
	if id == 0 && len(known) < most {
		id = uint64(len(known) + 1)
		known[name] = id
		p.interned = p.interned.bytes(field, message(nil).varint(1, id).text(2, shown))
	}
	return id
}

// descriptor writes the description of a track.
func (p *packets) descriptor(id, parent uint64, name string, as func(d message) message) {
	d := message(nil).varint(1, id)
	if parent != 0 {
		d = d.varint(5, parent)
	}
	if name != "" {
		d = d.text(2, name)
	}
	p.packet = p.packet.bytes(packetTrack, as(d))
	p.end(flagsAfter)
}

// put writes an event on a track, with probe and text, if not empty, and args as annotations.
func (p *packets) put(kind uint64, on, time uint64, name, probe string, text []byte, args []Arg) {
	p.interned = p.interned[:0]
	p.event = p.event[:0].varint(9, kind).varint(11, on)
	if name != "" {
		if id := p.intern(p.events, maxNames, internedEventNames, name, name); id != 0 {
			p.event = p.event.varint(10, id)
		} else {
			p.event = p.event.text(23, name)
		}
	}
	if probe != "" {
		p.annotate("probe", p.value([]byte(probe)))
	}
	if text = bytes.TrimRight(text, "\n"); len(text) > 0 {
		p.annotate("text", p.value(text))
	}
	for _, a := range args {
		if a.Text == nil {
			p.annotate(a.Name, p.arg[:0].varint(4, uint64(a.Number)))
		} else {
			p.annotate(a.Name, p.value(a.Text))
		}
	}
	p.endEvent(time)
}

// count writes a counter's value.
func (p *packets) count(on, time uint64, value int64) {
	p.interned = p.interned[:0]
	p.event = p.event[:0].varint(9, counted).varint(11, on).varint(30, uint64(value))
	p.endEvent(time)
}

func (p *packets) endEvent(time uint64) {
	p.packet = p.packet.varint(packetTimestamp, time)
	if len(p.interned) > 0 {
		p.packet = p.packet.bytes(packetInterned, p.interned)
	}
	p.packet = p.packet.bytes(packetTrackEvent, p.event)
	p.end(flagsAfter)
}

// annotate adds a named value to the event.
func (p *packets) annotate(name string, value message) {
	p.arg = value
	if id := p.intern(p.args, maxNames, internedArgNames, name, name); id != 0 {
		p.event = p.event.bytes(4, p.arg.varint(1, id))
	}
}

// value returns the value of an annotation for printed text: its number, if it is interned.
func (p *packets) value(text []byte) message {
	value := p.arg[:0]
	if len(text) <= shortValue {
		return value.text(6, printed(string(text)))
	}
	if id := p.values[string(text)]; id != 0 {
		return value.varint(17, id)
	}
	shown := printed(string(text))
	if p.valueBytes > maxValueBytes {
		return value.text(6, shown)
	}
	p.valueBytes += len(text)
	id := p.intern(p.values, maxValues, internedValues, string(text), shown)
	if id == 0 {
		return value.text(6, shown)
	}
	return value.varint(17, id)
}
