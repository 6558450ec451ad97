// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"

	"gostap/elaborate/probepoint"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// timerUnits are timer's components with their units in ns.
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

// Limits of a timer's period.
const (
	shortestTimer = 100_000         // ns
	longestTimer  = 24 * 3600 * 1e9 // ns
	mostJiffies   = 1_000_000
	coldTimer     = 1e6 // ns; from this period on, a timer's handler may take its time
)

// timer builds timer.s(n) and its like.
func timer(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	unit := m.Components[1].Name
	n, random := m.Number(unit, 0), m.Number("randomize", 0)
	ns, known := timerUnits[unit]
	refuse := func(inStap, format string, args ...any) ([]*ProbeSite, *syntax.Diagnostic) {
		d := m.Errorf(format, append([]any{probepoint.Spell(m.ProbePoint)}, args...)...)
		d.Stap = inStap
		return nil, d
	}
	switch {
	case unit == "hz" && n <= 0:
		return refuse("frequency must be greater than 0", "%s: the frequency must be above zero")
	case unit == "hz":
		ns, n, known = 1e9/n, 1, true
		if ns < shortestTimer {
			return refuse(outOfRange(1), "%s: the frequency may be %d at most", int64(1e9/shortestTimer))
		}
	case !known && (n < 1 || n > mostJiffies):
		return refuse("invalid interval for jiffies timer", "%s: the period must be from 1 to %d", mostJiffies)
	case !known:
		ns = 1e9 / c.Target.HZ()
	case n < fewest(ns) || n > longestTimer/ns:
		return refuse(outOfRange(ns), "%s: the period must be from %d to %d", fewest(ns), int64(longestTimer/ns))
	}
	switch {
	case random >= 0 && random <= n:
	case known:
		return refuse("randomization value out of range", "%s: randomize must not be greater than the period")
	default:
		return refuse("invalid randomize for jiffies timer", "%s: randomize must not be greater than the period")
	}
	period := n * ns
	return []*ProbeSite{{Point: &program.Point{
		At:     m.At,
		Family: "timer",
		Name:   probepoint.Spell(m.ProbePoint),
		Args:   [2]int64{period, random * ns},
		Cold:   period >= coldTimer,
	}}}, nil
}

// fewest returns the smallest number of units of so many ns that a period may have.
func fewest(ns int64) int64 { return max(shortestTimer/ns, 1) }

// outOfRange is SystemTap's message for a period in units of so many ns.
func outOfRange(ns int64) string {
	return fmt.Sprintf("interval value out of range (%d, %d)", fewest(ns), int64(longestTimer/ns))
}

// shortestProfile is the shortest period of timer.profile, in ns: with a shorter one the CPUs
// would do little else.
const shortestProfile = 100_000

// profileTimer builds timer.profile: on every CPU, with the registers of the
// interrupted code, at each tick of the system's clock or at a frequency.
func profileTimer(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	hz := m.Number("hz", c.Target.HZ())
	if hz <= 0 || 1e9/hz < shortestProfile {
		return nil, m.Errorf("%s: the frequency must be from 1 to %d", probepoint.Spell(m.ProbePoint), int64(1e9/shortestProfile))
	}
	return []*ProbeSite{{Point: &program.Point{
		At:     m.At,
		Family: "profile",
		Name:   probepoint.Spell(m.ProbePoint),
		Args:   [2]int64{1e9 / hz},
	}}}, nil
}
