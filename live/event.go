// SPDX-License-Identifier: GPL-2.0-or-later

package live

import "time"

// An Event is the output of one run of a handler, or a part of it if it is long.
type Event struct {
	Time  time.Time
	CPU   int
	Probe string
	Text  string // any bytes
	Stack string // the stacks in it, as text; "" if there are none
}
