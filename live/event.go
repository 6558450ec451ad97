// SPDX-License-Identifier: GPL-2.0-or-later

package live

import "time"

// A Level is how bad an event is.
type Level uint8

const (
	Printed Level = iota // it is no message, but output
	Warning
	Error
)

// An Event is the output of one run of a handler, or a part of it if it is long; or a handler's message.
type Event struct {
	Level Level
	Time  time.Time
	CPU   int    // -1: it is not known
	Probe string // "": it is not known
	Text  string // any bytes
	Stack string // the stacks in it, as text; "" if there are none
}
