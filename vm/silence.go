// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"fmt"
	"time"
)

// patience has the times after which a silent VM is considered dead.
type patience struct {
	tick time.Duration // the interval of checks

	greeting time.Duration // for qemu's greeting after its start
	kvm      time.Duration // for the kernel to reach its init, under KVM that has not worked yet
	boot     time.Duration // for the same otherwise: emulated debug kernels take minutes
	ping     time.Duration // of silence before the guest is pinged
	report   time.Duration // for the response, before its lack is reported
	answer   time.Duration // for the response, before the guest is given up; ten times the time of its boot is added

	lastWords time.Duration // for the last messages of a guest that has been given up
	exit      time.Duration // for qemu to end after its guest
}

var defaultPatience = patience{
	tick:      time.Second,
	greeting:  30 * time.Second,
	kvm:       6 * time.Second,
	boot:      5 * time.Minute,
	ping:      2 * time.Second,
	report:    6 * time.Second,
	answer:    time.Minute,
	lastWords: 10 * time.Second,
	exit:      3 * time.Second,
}

// tick checks for silence.
func (g *guest) tick() error {
	if !g.up && g.monitor.up() {
		g.up, g.watch.quiet = true, 0
	}
	p, quiet := &g.cfg.patience, g.watch.quiet
	switch {
	case !g.up && quiet > p.greeting:
		return g.giveUp("qemu has not come up within %v", quiet)
	case g.up && !g.reached && quiet > g.limit:
		return g.giveUp("the kernel has not reached its init within %v", quiet)
	case g.reached && quiet > p.ping+g.limit:
		return g.giveUp("the guest hangs: it has not answered for %v", quiet-p.ping)
	case g.reached && quiet >= p.ping:
		g.ping(quiet)
	case quiet == 0:
		g.pinged = false
		g.reportSilence(false)
	}
	return nil
}

// ping makes the guest send a sign of life.
func (g *guest) ping(quiet time.Duration) {
	if !g.pinged {
		g.pinged = true
		g.send("alive")
	}
	g.reportSilence(g.group != "" && quiet >= g.cfg.patience.ping+g.cfg.patience.report)
}

// reportSilence reports that the guest does not respond, or that it does again.
func (g *guest) reportSilence(silent bool) {
	switch {
	case silent && !g.silenceTold:
		g.cfg.Progress(fmt.Sprintf("the VM does not answer; it is given up after %v of its own time", g.limit.Round(time.Second)))
	case !silent && g.silenceTold:
		g.cfg.Progress("")
	}
	g.silenceTold = silent
}

// giveUp ends a guest that does not respond. An NMI makes its kernel panic, so that the console shows
// where it hangs.
func (g *guest) giveUp(format string, quiet time.Duration) error {
	g.monitor.execute("inject-nmi")
	g.qemu.ends(g.cfg.patience.lastWords)
	return &GuestError{Reason: fmt.Sprintf(format, quiet.Round(time.Second))}
}
