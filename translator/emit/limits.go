// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strconv"
)

// Limits are the resource limits that -D sets. docs/LIMITS.md describes each.
type Limits struct {
	MaxAction              int64
	MaxActionInterruptible int64 // 0: ten times MaxAction
	MaxNesting             int64 // 0: the depth of the script's calls, and ten for recursion
	MaxMapEntries          int64
	MaxArraySteps          int64
	MaxMemory              int64 // KiB; 0: a share of the machine's memory
	MaxStringLen           int64 // bytes; must equal the runtime's
	MaxErrors              int64
	MaxSkipped             int64
	MaxTryLock             int64
	TryLockDelay           int64
	MinStackSpace          int64
	OverloadThreshold      int64
	OverloadInterval       int64
	NoOverload             int64 // 1: overload protection is off
	HistElision            int64 // -1: all
	ProcfsBufsize          int64 // 0: MaxStringLen

	SuppressErrors     bool // --suppress-handler-errors
	FirstError         bool // with SuppressErrors: the first error is reported, as a warning
	SuppressTimeLimits bool // --suppress-time-limits: no actions are counted, locks are waited for, overload is allowed
}

// DefaultLimits returns the limits of a script run without -D.
func DefaultLimits() Limits {
	return Limits{
		MaxAction:         1000,
		MaxMapEntries:     2048,
		MaxArraySteps:     2e6,
		MaxStringLen:      512,
		MaxErrors:         0,
		MaxSkipped:        100,
		MaxTryLock:        1000,
		TryLockDelay:      10,
		MinStackSpace:     1536,
		OverloadThreshold: 500e6,
		OverloadInterval:  1000e6,
		HistElision:       2,
	}
}

// maxLimit is the maximum of the runtime's 32-bit limits.
const maxLimit = 1<<32 - 1

// limits are the limits by SystemTap's names.
var limits = []struct {
	name            string
	field           func(*Limits) *int64
	lowest, highest int64
}{
	{"MAXACTION", func(l *Limits) *int64 { return &l.MaxAction }, 1, maxLimit},
	{"MAXACTION_INTERRUPTIBLE", func(l *Limits) *int64 { return &l.MaxActionInterruptible }, 1, maxLimit},
	{"MAXARRAYSTEPS", func(l *Limits) *int64 { return &l.MaxArraySteps }, 1, 1e15},
	{"MAXERRORS", func(l *Limits) *int64 { return &l.MaxErrors }, 0, maxLimit},
	{"MAXMAPENTRIES", func(l *Limits) *int64 { return &l.MaxMapEntries }, 1, 1 << 28},
	{"MAXNESTING", func(l *Limits) *int64 { return &l.MaxNesting }, 1, 1000},
	{"MAXSKIPPED", func(l *Limits) *int64 { return &l.MaxSkipped }, 0, maxLimit},
	{"MAXSTRINGLEN", func(l *Limits) *int64 { return &l.MaxStringLen }, 32, 65535},
	{"MAXTRYLOCK", func(l *Limits) *int64 { return &l.MaxTryLock }, 0, maxLimit},
	{"TRYLOCKDELAY", func(l *Limits) *int64 { return &l.TryLockDelay }, 0, maxLimit},
	{"MINSTACKSPACE", func(l *Limits) *int64 { return &l.MinStackSpace }, 1024, 1 << 20},
	{"STP_MAXMEMORY", func(l *Limits) *int64 { return &l.MaxMemory }, 0, 1 << 50},
	{"STP_OVERLOAD_THRESHOLD", func(l *Limits) *int64 { return &l.OverloadThreshold }, 1, 1e15},
	{"STP_OVERLOAD_INTERVAL", func(l *Limits) *int64 { return &l.OverloadInterval }, 1e6, 1e15},
	{"STP_NO_OVERLOAD", func(l *Limits) *int64 { return &l.NoOverload }, 0, 1},
	{"STP_PROCFS_BUFSIZE", func(l *Limits) *int64 { return &l.ProcfsBufsize }, 1, 16 << 20},
	{"HIST_ELISION", func(l *Limits) *int64 { return &l.HistElision }, -1, maxLimit},
}

// LimitNames returns the names that Set knows.
func LimitNames() []string {
	var names []string
	for _, l := range limits {
		names = append(names, l.name)
	}
	return names
}

// Set sets one limit, for -D name=value. known is false if there is no limit of that name; err is set
// if the value is invalid.
func (l *Limits) Set(name, value string) (known bool, err error) {
	for _, limit := range limits {
		if limit.name != name {
			continue
		}
		n, err := strconv.ParseInt(value, 0, 64)
		if err != nil {
			return true, fmt.Errorf("-D%s=%s: not a number", name, value)
		}
		if n < limit.lowest || n > limit.highest {
			return true, fmt.Errorf("-D%s=%s: must be from %d to %d", name, value, limit.lowest, limit.highest)
		}
		*limit.field(l) = n
		return true, nil
	}
	return false, nil
}

// Bounds on handlers that keep interrupts off, whatever -D says: they allow about a second.
const (
	maxHotActions = 10e6
	maxHotSteps   = 100e6
	maxHotWait    = 1e6 // µs, for one lock
)

// hot is MAXACTION for handlers that keep interrupts off.
func (l *Limits) hot() int64 { return min(l.MaxAction, maxHotActions) }

// steps is MAXARRAYSTEPS, bounded.
func (l *Limits) steps() int64 { return min(l.MaxArraySteps, maxHotSteps) }

// raised ends the message of an exceeded limit with the -D option that raises it: ten times as high, up
// to maxLimit.
func raised(name string, now, maxLimit int64) string {
	if now >= maxLimit {
		return ""
	}
	return fmt.Sprintf("; raise it with -D%s=%d", name, min(10*now, maxLimit))
}

// cold is MAXACTION_INTERRUPTIBLE with its default resolved.
func (l *Limits) cold() int64 {
	if l.MaxActionInterruptible != 0 {
		return l.MaxActionInterruptible
	}
	return min(10*l.MaxAction, maxLimit)
}

// overload is STP_OVERLOAD_THRESHOLD, 0 if overload is allowed.
func (l *Limits) overload() int64 {
	if l.SuppressTimeLimits || l.NoOverload != 0 {
		return 0
	}
	return l.OverloadThreshold
}

// tryLock is MAXTRYLOCK, or practically unlimited with SuppressTimeLimits.
func (l *Limits) tryLock() int64 {
	if l.SuppressTimeLimits {
		return maxLimit
	}
	return min(l.MaxTryLock, maxHotWait/max(l.tryLockDelay(), 1))
}

// tryLockDelay is TRYLOCKDELAY in µs, bounded.
func (l *Limits) tryLockDelay() int64 { return min(l.TryLockDelay, maxHotWait) }
