// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"gostap/elaborate/image"
	"gostap/elaborate/probepoint"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Events of perf by name, in the order of enum perf_hw_id and enum perf_sw_ids
// (include/uapi/linux/perf_event.h).
var (
	hardwareEvents = []string{"cpu_cycles", "instructions", "cache_references", "cache_misses", "branch_instructions",
		"branch_misses", "bus_cycles", "stalled_cycles_frontend", "stalled_cycles_backend", "ref_cpu_cycles"}
	softwareEvents = []string{"cpu_clock", "task_clock", "page_faults", "context_switches", "cpu_migrations",
		"page_faults_min", "page_faults_maj", "alignment_faults", "emulation_faults"}
)

// perfTypes are perf's types of events that have names: the components behind perf.
var perfTypes = []struct {
	name   string
	events []string
}{{"hw", hardwareEvents}, {"sw", softwareEvents}}

// perfPatterns are the patterns for an event: on all processors, in processes of a program, and as a counter.
func perfPatterns(event string) []string {
	var list []string
	for _, in := range []string{"", ".process", ".process(string)"} {
		list = append(list, event+in, event+".sample(number)"+in, event+".hz(number)"+in, event+in+".counter(string)")
	}
	return list
}

func init() {
	register(perfEvent, perfPatterns("perf.type(number).config(number)")...)
	for number, t := range perfTypes {
		for config, event := range t.events {
			register(func(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
				return c.perfSites(m, int64(number), int64(config))
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
func perfEvent(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	return c.perfSites(m, m.Number("type", 0), m.Number("config", 0))
}

// perfSites are the sites of an event: it is counted on each processor, or in tasks of programs, and every Nth event is a
// hit; or it is a counter that handlers read.
func (c *Context) perfSites(m match, kind, config int64) ([]*ProbeSite, *syntax.Diagnostic) {
	rate, d := perfRate(m, kind)
	if d != nil {
		return nil, d
	}
	point := program.Point{At: m.At, Family: "perf", Name: probepoint.Spell(m.ProbePoint), Args: [2]int64{config, rate}}
	if m.Has("counter") {
		point.File = m.Text("counter")
		if point.File == "" {
			return nil, m.Errorf("a counter has a name, by which @perf reads it")
		}
	}
	if !m.Has("process") && !m.Has("counter") {
		return []*ProbeSite{{Point: &point}}, nil
	}
	if err := c.Target.Host(); err != nil {
		return nil, m.Errorf("%v", err)
	}
	point.Family = "perftask"
	if !m.Has("process") {
		return []*ProbeSite{{Point: &point, Silent: true}}, nil
	}
	paths, of, d := c.processPaths(m)
	if d != nil {
		return nil, d
	}
	if of == program.TargetProcesses && rate < 0 {
		point.Args[1] -= program.PerfOfTarget
	} else if of == program.TargetProcesses {
		point.Args[1] += program.PerfOfTarget
	}
	return c.programSites(m, paths, func(im *image.Program) *ProbeSite {
		one := point
		one.Site.Image = im.ID()
		return &ProbeSite{Point: &one, Silent: m.Has("counter")}
	})
}

// perfRate is the second argument of perf's points.
func perfRate(m match, kind int64) (int64, *syntax.Diagnostic) {
	if kind < 0 || kind > maxPerfType {
		return 0, m.Errorf("perf.type(%d): a type is from 0 to %d", kind, maxPerfType)
	}
	if m.Has("counter") {
		return kind << perfTypeShift, nil
	}
	if m.Has("hz") {
		hz := m.Number("hz", 0)
		if hz < 1 || hz > maxPerfHz {
			return 0, m.Errorf("hz(%d): the frequency must be from 1 to %d", hz, int64(maxPerfHz))
		}
		return -(kind<<perfTypeShift | hz), nil
	}
	period := m.Number("sample", defaultSample)
	if period < 1 || period > maxPerfPeriod {
		return 0, m.Errorf("sample(%d): the handler can run at every event, or each Nth up to %d", period, int64(maxPerfPeriod))
	}
	return kind<<perfTypeShift | period, nil
}
