// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strconv"
)

// Limits are the resource limits that -D sets, by SystemTap's names.
type Limits struct {
	MaxAction              int64 // MAXACTION: loop iterations and recursive calls of a handler
	MaxActionInterruptible int64 // MAXACTION_INTERRUPTIBLE: the same in begin, end and error probes; 0: ten times MaxAction
	MaxNesting             int64 // MAXNESTING: function calls within each other; 0: what the script needs, and ten for recursion
	MaxMapEntries          int64 // MAXMAPENTRIES: elements of an array whose declaration doesn't say
	MaxStringLen           int64 // MAXSTRINGLEN: bytes of a string with its NUL; the runtime has to be compiled with the same
	MaxErrors              int64 // MAXERRORS
	MaxSkipped             int64 // MAXSKIPPED
	MaxTryLock             int64 // MAXTRYLOCK: attempts at a lock
	TryLockDelay           int64 // TRYLOCKDELAY: µs between them
	MinStackSpace          int64 // MINSTACKSPACE
	HistElision            int64 // HIST_ELISION: empty buckets drawn beside a full one; -1: all

	SuppressErrors     bool // --suppress-handler-errors
	SuppressTimeLimits bool // --suppress-time-limits: count no actions
}

// DefaultLimits returns the limits of a script run without -D.
func DefaultLimits() Limits {
	return Limits{
		MaxAction:     1000,
		MaxMapEntries: 2048,
		MaxStringLen:  512,
		MaxErrors:     0,
		MaxSkipped:    100,
		MaxTryLock:    1000,
		TryLockDelay:  10,
		MinStackSpace: 1024,
		HistElision:   2,
	}
}

// Set sets one limit as -D name=value does. It reports whether there is a
// limit of that name.
func (l *Limits) Set(name, value string) (known bool, err error) {
	field, lowest, highest := l.field(name)
	if field == nil {
		return false, nil
	}
	n, err := strconv.ParseInt(value, 0, 64)
	if err != nil {
		return true, fmt.Errorf("-D%s=%s: not a number", name, value)
	}
	if n < lowest || n > highest {
		return true, fmt.Errorf("-D%s=%s: must be from %d to %d", name, value, lowest, highest)
	}
	*field = n
	return true, nil
}

func (l *Limits) field(name string) (field *int64, lowest, highest int64) {
	const most = 1<<32 - 1
	switch name {
	case "MAXACTION":
		return &l.MaxAction, 1, most
	case "MAXACTION_INTERRUPTIBLE":
		return &l.MaxActionInterruptible, 1, most
	case "MAXNESTING":
		return &l.MaxNesting, 1, 1000
	case "MAXMAPENTRIES":
		return &l.MaxMapEntries, 1, 1 << 28
	case "MAXSTRINGLEN":
		return &l.MaxStringLen, 32, 65535
	case "MAXERRORS":
		return &l.MaxErrors, 0, most
	case "MAXSKIPPED":
		return &l.MaxSkipped, 0, most
	case "MAXTRYLOCK":
		return &l.MaxTryLock, 0, most
	case "TRYLOCKDELAY":
		return &l.TryLockDelay, 0, most
	case "MINSTACKSPACE":
		return &l.MinStackSpace, 0, most
	case "HIST_ELISION":
		return &l.HistElision, -1, most
	}
	return nil, 0, 0
}

// cold is MAXACTION_INTERRUPTIBLE with its default resolved.
func (l *Limits) cold() int64 {
	if l.MaxActionInterruptible != 0 {
		return l.MaxActionInterruptible
	}
	return min(10*l.MaxAction, 1<<32-1)
}
