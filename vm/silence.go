// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"fmt"
	"time"
)

// patience says for how long nothing may be heard of a VM before it counts as dead.
type patience struct {
	tick time.Duration // how often that is looked at

	greeting time.Duration // of qemu, after it has been started
	kvm      time.Duration // of the kernel's init, under KVM that has not worked yet
	boot     time.Duration // of the init otherwise: kernels that look for bugs themselves take minutes, emulated
	ping     time.Duration // of the guest, before it is pinged
	report   time.Duration // of its answer, before that is told
	answer   time.Duration // of its answer at all; ten times what it took to its init is added

	lastWords time.Duration // for what a guest that is given up has to say
	exit      time.Duration // for qemu to end when its guest has
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

// tick does what is to be done about a silent guest.
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

// ping has the guest give a sign of life.
func (g *guest) ping(quiet time.Duration) {
	if !g.pinged {
		g.pinged = true
		g.send("alive")
	}
	g.reportSilence(g.group != "" && quiet >= g.cfg.patience.ping+g.cfg.patience.report)
}

// reportSilence tells that the guest doesn't answer, or that it does again.
func (g *guest) reportSilence(silent bool) {
	switch {
	case silent && !g.silenceTold:
		g.cfg.Progress(fmt.Sprintf("the VM does not answer; it is given up after %v of its own time", g.limit.Round(time.Second)))
	case !silent && g.silenceTold:
		g.cfg.Progress("")
	}
	g.silenceTold = silent
}

// giveUp gives up a guest. Its kernel may still say on the console where it hangs: an NMI makes it panic.
func (g *guest) giveUp(format string, quiet time.Duration) error {
	g.monitor.execute("inject-nmi")
	g.qemu.ends(g.cfg.patience.lastWords)
	return &GuestError{Reason: fmt.Sprintf(format, quiet.Round(time.Second))}
}
