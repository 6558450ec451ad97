// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"gostap/elaborate/probepoint"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// timerUnits are timer's components with what one of each is in ns.
var timerUnits = map[string]int64{
	"s": 1e9, "sec": 1e9,
	"ms": 1e6, "msec": 1e6,
	"us": 1e3, "usec": 1e3,
	"ns": 1, "nsec": 1,
}

func init() {
	for unit := range timerUnits {
		register(timer, "timer."+unit+"(number)", "timer."+unit+"(number).randomize(number)")
	}
	register(timer, "timer.jiffies(number)", "timer.jiffies(number).randomize(number)", "timer.hz(number)")
	register(profileTimer, "timer.profile", "timer.profile.tick", "timer.profile.freq.hz(number)")
}

// Limits of a timer's period, in ns.
const (
	shortestTimer = 1000
	longestTimer  = 1e9 * 3600 * 24 * 365
	coldTimer     = 1e6 // from this period on, a timer's handler may take its time
)

// timer builds timer.s(n) and its like.
func timer(c *Context, m match) ([]*Place, *syntax.Diagnostic) {
	unit := m.Components[1].Name
	n := m.Number(unit, 0)
	if n <= 0 {
		return nil, m.Errorf("timer.%s(%d): the period must be above zero", unit, n)
	}
	ns, known := timerUnits[unit]
	switch {
	case unit == "hz":
		ns, n = 1e9/n, 1
	case !known:
		ns = 1e9 / c.Target.HZ()
	}
	random := m.Number("randomize", 0)
	if random < 0 || n > longestTimer/max(ns, 1) || random > longestTimer/max(ns, 1) {
		return nil, m.Errorf("%s: a timer's period may be a year at most", probepoint.Spell(m.ProbePoint))
	}
	period := n * ns
	if period < shortestTimer {
		return nil, m.Errorf("%s: a timer's period must be at least %d ns", probepoint.Spell(m.ProbePoint), shortestTimer)
	}
	if random*ns > period {
		return nil, m.Errorf("%s: randomize must not be greater than the period", probepoint.Spell(m.ProbePoint))
	}
	return []*Place{{Point: &program.Point{
		At:     m.At,
		Family: "timer",
		Name:   probepoint.Spell(m.ProbePoint),
		Args:   [2]int64{period, random * ns},
		Cold:   period >= coldTimer,
	}}}, nil
}

// shortestProfile is the shortest period of timer.profile, in ns: the CPUs are
// to do something else, too.
const shortestProfile = 100_000

// profileTimer builds timer.profile: on every CPU, with the registers of what
// it interrupts, at each tick of the system's clock or at a frequency.
func profileTimer(c *Context, m match) ([]*Place, *syntax.Diagnostic) {
	hz := m.Number("hz", c.Target.HZ())
	if hz <= 0 || 1e9/hz < shortestProfile {
		return nil, m.Errorf("%s: the frequency must be from 1 to %d", probepoint.Spell(m.ProbePoint), int64(1e9/shortestProfile))
	}
	return []*Place{{Point: &program.Point{
		At:     m.At,
		Family: "profile",
		Name:   probepoint.Spell(m.ProbePoint),
		Args:   [2]int64{1e9 / hz},
	}}}, nil
}
