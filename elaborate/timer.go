// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
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
func timer(s *session, m match) ([]*Place, *syntax.Diagnostic) {
	unit := m.point.Components[1].Name
	n := m.number(unit, 0)
	if n <= 0 {
		return nil, m.errorf("timer.%s(%d): the period must be above zero", unit, n)
	}
	ns, known := timerUnits[unit]
	switch {
	case unit == "hz":
		ns, n = 1e9/n, 1
	case !known:
		ns = 1e9 / s.target.hz()
	}
	random := m.number("randomize", 0)
	if random < 0 || n > longestTimer/max(ns, 1) || random > longestTimer/max(ns, 1) {
		return nil, m.errorf("%s: a timer's period may be a year at most", spell(m.point))
	}
	period := n * ns
	if period < shortestTimer {
		return nil, m.errorf("%s: a timer's period must be at least %d ns", spell(m.point), shortestTimer)
	}
	if random*ns >= period {
		return nil, m.errorf("%s: randomize must be smaller than the period", spell(m.point))
	}
	return []*Place{{Point: &program.Point{
		At:     m.at(),
		Family: "timer",
		Name:   spell(m.point),
		Args:   [2]int64{period, random * ns},
		Cold:   period >= coldTimer,
	}}}, nil
}

// shortestProfile is the shortest period of timer.profile, in ns: the CPUs are
// to do something else, too.
const shortestProfile = 100_000

// profileTimer builds timer.profile: on every CPU, with the registers of what
// it interrupts, at each tick of the system's clock or at a frequency.
func profileTimer(s *session, m match) ([]*Place, *syntax.Diagnostic) {
	hz := m.number("hz", s.target.hz())
	if hz <= 0 || 1e9/hz < shortestProfile {
		return nil, m.errorf("%s: the frequency must be from 1 to %d", spell(m.point), int64(1e9/shortestProfile))
	}
	return []*Place{{Point: &program.Point{
		At:     m.at(),
		Family: "profile",
		Name:   spell(m.point),
		Args:   [2]int64{1e9 / hz},
	}}}, nil
}
