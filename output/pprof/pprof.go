// SPDX-License-Identifier: GPL-2.0-or-later

// Package pprof writes stacks for `go tool pprof` and Speedscope: a gzip'd profile.proto.
package pprof

import (
	"io"

	google "github.com/google/pprof/profile"
	"github.com/pkg/errors"

	"gostap/output/profile"
)

// Write writes the profile. It has one value, samples.
func Write(w io.Writer, p *profile.Profile) error {
	out := &google.Profile{
		SampleType: []*google.ValueType{{Type: "samples", Unit: "count"}},
		PeriodType: &google.ValueType{Type: "samples", Unit: "count"},
		Period:     1,
	}
	mappings := map[string]*google.Mapping{}
	locations := map[profile.Frame]*google.Location{}
	locate := func(f profile.Frame) *google.Location {
		if l := locations[f]; l != nil {
			return l
		}
		m := mappings[f.Module]
		if m == nil {
			m = &google.Mapping{ID: uint64(len(mappings) + 1), File: profile.Clean(f.Module), HasFunctions: true}
			mappings[f.Module] = m
			out.Mapping = append(out.Mapping, m)
		}
		function := &google.Function{ID: uint64(len(locations) + 1), Name: f.Name, SystemName: f.Name}
		l := &google.Location{ID: function.ID, Mapping: m, Line: []google.Line{{Function: function}}}
		out.Function = append(out.Function, function)
		out.Location = append(out.Location, l)
		locations[f] = l
		return l
	}
	p.Each(func(stack []*profile.Node, value int64) {
		s := &google.Sample{Value: []int64{value}}
		for i := len(stack) - 1; i >= 0; i-- {
			s.Location = append(s.Location, locate(stack[i].Frame))
		}
		out.Sample = append(out.Sample, s)
	})
	if err := out.CheckValid(); err != nil {
		return errors.WithStack(err)
	}
	return errors.WithStack(out.Write(w))
}
