// SPDX-License-Identifier: GPL-2.0-or-later

package receiver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	profiles "go.opentelemetry.io/proto/slim/otlp/profiles/v1development"
)

// Text returns the received data as sorted lines: "metric NAME map[LABEL:VALUE] NUMBER" and "histogram
// NAME map[LABEL:VALUE] COUNT SUM [BOUNDS] [BUCKETS]" for the metrics that came last, "log PROBE BODY",
// "warning PROBE BODY" and "error PROBE BODY", the body in quotes, and "stack COUNT OUTER;INNER".
func (r *Receiver) Text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	if n := len(r.Metrics); n > 0 {
		for _, m := range r.Metrics[n-1].ResourceMetrics[0].ScopeMetrics[0].Metrics {
			for _, p := range append(m.GetGauge().GetDataPoints(), m.GetSum().GetDataPoints()...) {
				lines = append(lines, fmt.Sprintln("metric", m.Name, ByKey(p.Attributes), p.GetAsInt()))
			}
			for _, p := range m.GetHistogram().GetDataPoints() {
				lines = append(lines, fmt.Sprintln("histogram", m.Name, ByKey(p.Attributes), p.Count, p.GetSum(), p.ExplicitBounds, p.BucketCounts))
			}
		}
	}
	for _, l := range r.records() {
		kind := map[logs.SeverityNumber]string{logs.SeverityNumber_SEVERITY_NUMBER_WARN: "warning", logs.SeverityNumber_SEVERITY_NUMBER_ERROR: "error"}[l.SeverityNumber]
		lines = append(lines, fmt.Sprintf("%s %s %q\n", cmp.Or(kind, "log"), ByKey(l.Attributes)["gostap.probe"], l.Body.GetStringValue()))
	}
	for _, p := range r.Profiles {
		for _, s := range p.ResourceProfiles[0].ScopeProfiles[0].Profiles[0].Samples {
			lines = append(lines, fmt.Sprintln("stack", s.Values[0], strings.Join(Stack(p.Dictionary, s), ";")))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// Stack returns the functions of a sample, the outermost first.
func Stack(d *profiles.ProfilesDictionary, s *profiles.Sample) []string {
	var names []string
	for _, l := range d.StackTable[s.StackIndex].LocationIndices {
		names = append(names, d.StringTable[d.FunctionTable[d.LocationTable[l].Lines[0].FunctionIndex].NameStrindex])
	}
	slices.Reverse(names)
	return names
}
