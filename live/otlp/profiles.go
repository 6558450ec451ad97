// SPDX-License-Identifier: GPL-2.0-or-later

package otlp

import (
	"context"
	"crypto/rand"
	"time"

	"go.opentelemetry.io/otel/sdk/resource"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/profiles/v1development"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	messages "go.opentelemetry.io/proto/slim/otlp/profiles/v1development"

	"gostap/output/profile"
)

// profilesPath is the path of profiles, in the form that opentelemetry-proto calls v1development: it is
// still alpha.
const profilesPath = "v1development/profiles"

// A profileSender sends a session's stacks.
type profileSender struct {
	client *client
	tally  *tally
	from   *resource.Resource
	take   func() *profile.Profile // returns the stacks since the previous call
	since  time.Time
}

// interval is the time between profiles, the default of metrics, too.
const interval = time.Minute

// run sends stacks until the context ends.
func (x *profileSender) run(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			x.send(ctx, x.take())
		case <-ctx.Done():
			return
		}
	}
}

// send sends a profile, if it has samples.
func (x *profileSender) send(ctx context.Context, p *profile.Profile) {
	since, now := x.since, time.Now()
	x.since = now
	total := p.Root.Total()
	if total == 0 {
		return
	}
	x.tally.add(total)
	var answer collector.ExportProfilesServiceResponse
	err := x.client.send(ctx, requestOf(p, x.from, since, now), &answer)
	rejected := int64(0)
	if answer.PartialSuccess.GetRejectedProfiles() > 0 {
		rejected = total
	}
	x.tally.done(total, rejected, answer.PartialSuccess.GetErrorMessage(), err)
}

// A dictionary has the values that profiles refer to by index; index 0 is the empty value.
type dictionary struct {
	messages.ProfilesDictionary
	strings   map[string]int32
	mappings  map[string]int32
	locations map[profile.Frame]int32
	kinds     map[string]int32
}

func newDictionary() *dictionary {
	d := &dictionary{strings: map[string]int32{"": 0}, mappings: map[string]int32{"": 0}, locations: map[profile.Frame]int32{}, kinds: map[string]int32{}}
	d.StringTable = []string{""}
	d.MappingTable = []*messages.Mapping{{}}
	d.LocationTable = []*messages.Location{{}}
	d.FunctionTable = []*messages.Function{{}}
	d.LinkTable = []*messages.Link{{TraceId: make([]byte, 16), SpanId: make([]byte, 8)}}
	d.AttributeTable = []*messages.KeyValueAndUnit{{}}
	d.StackTable = []*messages.Stack{{}}
	return d
}

// number returns the index of a string.
func (d *dictionary) number(s string) int32 {
	n, ok := d.strings[s]
	if !ok {
		n = int32(len(d.StringTable))
		d.StringTable = append(d.StringTable, valid(s))
		d.strings[s] = n
	}
	return n
}

// location returns the index of a frame.
func (d *dictionary) location(f profile.Frame) int32 {
	n, ok := d.locations[f]
	if ok {
		return n
	}
	mapping, ok := d.mappings[f.Module]
	if !ok {
		mapping = int32(len(d.MappingTable))
		d.MappingTable = append(d.MappingTable, &messages.Mapping{FilenameStrindex: d.number(profile.Clean(f.Module))})
		d.mappings[f.Module] = mapping
	}
	name := d.number(f.Name)
	d.FunctionTable = append(d.FunctionTable, &messages.Function{NameStrindex: name, SystemNameStrindex: name})
	l := &messages.Location{MappingIndex: mapping, Lines: []*messages.Line{{FunctionIndex: int32(len(d.FunctionTable) - 1)}}}
	switch f.Kind {
	case profile.Kernel:
		l.AttributeIndices = []int32{d.kind("kernel")}
	case profile.User, profile.Library:
		l.AttributeIndices = []int32{d.kind("native")}
	}
	n = int32(len(d.LocationTable))
	d.LocationTable = append(d.LocationTable, l)
	d.locations[f] = n
	return n
}

// kind returns the index of the attribute with a frame's kind of code, by OpenTelemetry's conventions.
func (d *dictionary) kind(name string) int32 {
	n, ok := d.kinds[name]
	if !ok {
		n = int32(len(d.AttributeTable))
		d.AttributeTable = append(d.AttributeTable, &messages.KeyValueAndUnit{KeyStrindex: d.number("profile.frame.type"),
			Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: name}}})
		d.kinds[name] = n
	}
	return n
}

// requestOf returns the message for a profile.
func requestOf(p *profile.Profile, from *resource.Resource, since, now time.Time) *collector.ExportProfilesServiceRequest {
	d := newDictionary()
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	out := &messages.Profile{SampleType: &messages.ValueType{TypeStrindex: d.number("samples"), UnitStrindex: d.number("count")},
		TimeUnixNano: nanoseconds(since), DurationNano: uint64(max(now.Sub(since), 0)), ProfileId: id}
	p.Each(func(stack []*profile.Node, value int64) {
		s := &messages.Stack{}
		for i := len(stack) - 1; i >= 0; i-- { // the innermost frame is the first
			s.LocationIndices = append(s.LocationIndices, d.location(stack[i].Frame))
		}
		d.StackTable = append(d.StackTable, s)
		out.Samples = append(out.Samples, &messages.Sample{StackIndex: int32(len(d.StackTable) - 1), Values: []int64{value}})
	})
	return &collector.ExportProfilesServiceRequest{Dictionary: &d.ProfilesDictionary, ResourceProfiles: []*messages.ResourceProfiles{
		{Resource: resourceOf(from), ScopeProfiles: []*messages.ScopeProfiles{{Scope: scope, Profiles: []*messages.Profile{out}}}}}}
}
