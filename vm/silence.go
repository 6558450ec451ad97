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
	ask      time.Duration // of the guest, before it is asked
	worry    time.Duration // of its answer, before that is told
	answer   time.Duration // of its answer at all; ten times what it took to its init is added

	lastWords time.Duration // for what a guest that is given up has to say
	exit      time.Duration // for qemu to end when its guest has
}

var defaultPatience = patience{
	tick:      time.Second,
	greeting:  30 * time.Second,
	kvm:       6 * time.Second,
	boot:      5 * time.Minute,
	ask:       2 * time.Second,
	worry:     6 * time.Second,
	answer:    time.Minute,
	lastWords: 10 * time.Second,
	exit:      3 * time.Second,
}

// tick does what is to be done about a silent guest.
func (s *session) tick() error {
	if !s.up && s.monitor.up() {
		s.up, s.watch.quiet = true, 0
	}
	p, quiet := &s.cfg.patience, s.watch.quiet
	switch {
	case !s.up && quiet > p.greeting:
		return s.hung("qemu has not come up within %v", quiet)
	case s.up && !s.reached && quiet > s.limit:
		return s.hung("the kernel has not reached its init within %v", quiet)
	case s.reached && quiet > p.ask+s.limit:
		return s.hung("the guest hangs: it has not answered for %v", quiet-p.ask)
	case s.reached && quiet >= p.ask:
		s.ask(quiet)
	case quiet == 0:
		s.asked = false
		s.worry(false)
	}
	return nil
}

// ask has the guest give a sign of life.
func (s *session) ask(quiet time.Duration) {
	if !s.asked {
		s.asked = true
		s.tell("alive")
	}
	s.worry(s.group != "" && quiet >= s.cfg.patience.ask+s.cfg.patience.worry)
}

// worry tells that the guest doesn't answer, or that it does again.
func (s *session) worry(reason bool) {
	switch {
	case reason && !s.worried:
		s.cfg.Progress(fmt.Sprintf("the VM does not answer; it is given up after %v of its own time", s.limit.Round(time.Second)))
	case !reason && s.worried:
		s.cfg.Progress("")
	}
	s.worried = reason
}

// hung gives up a guest. Its kernel may still say on the console where it hangs: an NMI makes it panic.
func (s *session) hung(format string, quiet time.Duration) error {
	s.monitor.execute("inject-nmi")
	s.qemu.ends(s.cfg.patience.lastWords)
	return &GuestError{Reason: fmt.Sprintf(format, quiet.Round(time.Second))}
}
