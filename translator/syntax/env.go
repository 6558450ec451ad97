// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "sync/atomic"

// An Env is what the preprocessor knows of the target and the command line. One Env serves all files of
// a session, from several goroutines at once.
type Env struct {
	KernelVR    string // the target kernel's release, "6.1.0-56-cloud-amd64"; kernel_v is its numeric part
	Arch        string // "x86_64"
	Runtime     string // "kernel" or "host"
	Guru        bool   // -g
	Privilege   string // "stapusr", "stapsys" or "stapdev"
	StapVersion string // the version of SystemTap that the language follows, "4.8"; systemtap_v

	// Config returns the value of a kernel configuration option named CONFIG_…, "" if it is not set. If
	// Config is nil, no option is set.
	Config func(name string) string

	Args []string // the script's arguments: $1 and @1 are Args[0]

	// ArgsUsed records which of Args are used; nil: not recorded.
	ArgsUsed []atomic.Bool

	// Macros are the macro library's, visible in each file. If it is nil, the library is not known, and
	// any @word with arguments is taken for a call of one of its macros.
	Macros *MacroSet
}

// kernelV returns the numeric part of the kernel's release: "6.1.0".
func (e *Env) kernelV() string {
	for i := 0; i < len(e.KernelVR); i++ {
		if c := e.KernelVR[i]; c != '.' && class[c]&cDigit == 0 {
			return e.KernelVR[:i]
		}
	}
	return e.KernelVR
}

// config returns the value of a kernel configuration option.
func (e *Env) config(name string) string {
	if e.Config == nil {
		return ""
	}
	return e.Config(name)
}
