// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"gostap/elaborate/probepoint"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Events of perf by name, in the order of enum perf_hw_id and enum perf_sw_ids
// (include/uapi/linux/perf_event.h).
var (
	hardwareEvents = []string{"cpu_cycles", "instructions", "cache_references", "cache_misses", "branch_instructions",
		"branch_misses", "bus_cycles", "stalled_cycles_frontend", "stalled_cycles_backend", "ref_cycles"}
	softwareEvents = []string{"cpu_clock", "task_clock", "page_faults", "context_switches", "cpu_migrations",
		"page_faults_min", "page_faults_maj", "alignment_faults", "emulation_faults"}
)

// perfTypes are perf's types of events that have names: the components behind perf.
var perfTypes = []struct {
	name   string
	events []string
}{{"hw", hardwareEvents}, {"sw", softwareEvents}}

// perfPatterns are all that can be probed of an event.
func perfPatterns(event string) []string {
	return []string{event, event + ".sample(number)", event + ".hz(number)"}
}

func init() {
	register(perfEvent, perfPatterns("perf.type(number).config(number)")...)
	for number, t := range perfTypes {
		for config, event := range t.events {
			register(func(_ *Context, m match) ([]*Place, *syntax.Diagnostic) {
				return perfPlace(m, int64(number), int64(config))
			}, perfPatterns("perf."+t.name+"."+event)...)
		}
	}
}

// Limits of what runtime-c/kernel/families/perf.c takes: a type is the number of a PMU, and the rest of
// the second argument is for the period.
const (
	maxPerfType   = 1<<15 - 1
	maxPerfPeriod = 1<<47 - 1
	perfTypeShift = 47
	// defaultSample is the period where a probe point gives none (stapprobes(3stap)).
	defaultSample = 1_000_000
	// maxPerfHz is as many hits in a second as timer.profile may have.
	maxPerfHz = 1e9 / shortestProfile
)

// perfEvent builds perf.type(N).config(M).
func perfEvent(_ *Context, m match) ([]*Place, *syntax.Diagnostic) {
	return perfPlace(m, m.Number("type", 0), m.Number("config", 0))
}

// perfPlace is the place at an event: each processor's counter of it, at every Nth event.
func perfPlace(m match, kind, config int64) ([]*Place, *syntax.Diagnostic) {
	if kind < 0 || kind > maxPerfType {
		return nil, m.Errorf("perf.type(%d): a type is from 0 to %d", kind, maxPerfType)
	}
	period := m.Number("sample", defaultSample)
	if period < 1 || period > maxPerfPeriod {
		return nil, m.Errorf("sample(%d): the handler can run at every event, or each Nth up to %d", period, int64(maxPerfPeriod))
	}
	rate := kind<<perfTypeShift | period
	if m.Has("hz") {
		hz := m.Number("hz", 0)
		if hz < 1 || hz > maxPerfHz {
			return nil, m.Errorf("hz(%d): the frequency must be from 1 to %d", hz, int64(maxPerfHz))
		}
		rate = -(kind<<perfTypeShift | hz)
	}
	return []*Place{{Point: &program.Point{
		At:     m.At,
		Family: "perf",
		Name:   probepoint.Spell(m.ProbePoint),
		Args:   [2]int64{config, rate},
	}}}, nil
}
