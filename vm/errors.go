// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"fmt"
	"strings"

	"github.com/pkg/errors"

	"gostap/internal/distro"
)

// ErrInterrupted is returned by Run when a signal on Config.Interrupt ended the VM rather than the command.
var ErrInterrupted = errors.New("micro-VM: interrupted")

// MissingError lists what a micro-VM needs and the host does not have.
type MissingError struct {
	Files   []string // the missing files
	Install string   // the command that installs it, "" if none is known
}

func (e *MissingError) Error() string {
	text := fmt.Sprintf("micro-VM: %s not found", strings.Join(e.Files, ", "))
	if e.Install != "" {
		text += "; install with: " + e.Install
	}
	return text + "; " + distro.Doctor
}

// lacksKernel adds a missing file of a kernel.
func (e *MissingError) lacksKernel(file, release string) {
	install := distro.Here().Image(release)
	switch {
	case e.Files == nil:
		e.Install = install
	case install != "" && e.Install != "" && !strings.Contains(e.Install, install):
		e.Install += " && " + install
	}
	e.Files = append(e.Files, file)
}

// GuestError is the error if the guest ended, or had to be ended, before its command did.
type GuestError struct {
	Reason  string   // the message of the kernel or of qemu, or that the guest was silent for too long, or that time ran out
	Console []string // the last lines of the kernel's console
	Err     error    // the error of the context, if that ended the guest

	early bool // before the kernel reached its init, or because KVM failed
}

func (e *GuestError) Error() string {
	text := "micro-VM: " + e.Reason
	if len(e.Console) > 0 {
		text += "; its console ended with:\n\t" + strings.Join(e.Console, "\n\t")
	}
	return text
}

// Unwrap returns the error of the context, so that errors.Is distinguishes a deadline from a panic.
func (e *GuestError) Unwrap() error { return e.Err }

// explain finds the reason, if it isn't known, in the last messages of the kernel, qemu and virtiofsd.
// All have ended.
func (e *GuestError) explain(m *machine) {
	if e.Reason != "" {
		return
	}
	e.Reason = "the guest ended before its command did"
	for _, line := range e.Console {
		if _, reason, ok := strings.Cut(line, "Kernel panic - not syncing: "); ok {
			e.Reason = "kernel panic: " + reason
			return
		}
	}
	if why := m.monitor.reason(); why != "" {
		e.Reason += " (" + why + ")"
	}
	said := strings.TrimSpace(string(m.qemu.stderr))
	if said == "" {
		said = strings.TrimSpace(string(m.fsd.stderr))
	}
	if said != "" {
		e.Reason += ": " + said
	}
}
