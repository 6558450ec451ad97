// SPDX-License-Identifier: GPL-2.0-or-later

package live

import "time"

// An Event is what one run of a handler prints, or a part of it if that is long.
type Event struct {
	Time  time.Time
	CPU   int
	Probe string
	Text  string // as the kernel has it: any bytes
	Stack string // the stacks that it prints; "" if it prints none
}
