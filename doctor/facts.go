// SPDX-License-Identifier: GPL-2.0-or-later

// Package doctor says what a machine has of what gostap takes, and what to do
// about the rest. Probe looks; Examine judges what was found, which may be
// another machine's, too.
//
//	facts := doctor.Probe("6.1.0-56-amd64", "")
//	for _, f := range doctor.Examine(facts) { … }
package doctor

import (
	"gostap/internal/distro"
	modulebuild "gostap/module-build"
)

// Facts are what a machine is like, as far as it matters for one kernel.
type Facts struct {
	Distribution distro.Distribution
	Kernel       Kernel
	Needs        modulebuild.Needs // what building modules takes
	Pahole       bool
	Debuginfo    Debuginfo // the kernel's
	Program      *Program  // nil: none was asked for
	Live         *Live     // nil: the kernel is not the one that runs
	Cache        Cache
	VM           VM
}

// A Kernel is what is known of a kernel without running it.
type Kernel struct {
	Release string
	Image   string
	BuildID string            // hex; "" if unknown
	Problem string            // why the kernel can't be looked into; "" if it can
	Missing bool              // because it is not installed
	BTF     bool              // it has its types with it
	Options map[string]string // CONFIG_…, "y", "m" or a value; nil if its configuration is not to be found
}

// A Debuginfo is that of the kernel or of a program.
type Debuginfo struct {
	Path    string // "" if there is none
	Problem string // what is wrong with what there is, "" if nothing is
}

// A Program is one whose debuginfo was asked for.
type Program struct {
	Path    string
	BuildID string // hex; "" if it has none
	Problem string // why it can't be read; "" if it can
	Debuginfo
	Servers []string // debuginfod's, by DEBUGINFOD_URLS
}

// Live is what the running kernel lets this process do.
type Live struct {
	UID             int
	LoadModules     bool   // CAP_SYS_MODULE
	Administer      bool   // CAP_SYS_ADMIN
	NoModules       bool   // built without them
	ModulesDisabled bool   // by sysctl, until it is booted again
	Lockdown        string // none, integrity or confidentiality; "" if unknown
	SigEnforce      bool
	SecureBoot      bool
	Keys            []Key
	Mokutil         bool
	FtraceEnabled   string // kernel.ftrace_enabled: 1, 0; "" if unknown
	KprobesEnabled  string // /sys/kernel/debug/kprobes/enabled, the same way
	Counters        bool   // the processor's events can be counted
}

// A Key is one for signing modules that has been made on this machine.
type Key struct {
	Key, Cert string // files
	Enrolled  bool   // as mokutil says
}

// A Cache is where what is built is kept.
type Cache struct {
	Root    string
	Problem string // why it can't be written; "" if it can
	FreeMB  int64
}

// A VM is what --vm takes.
type VM struct {
	Release string   // the kernel that it would run; "" if there is none
	Missing []string // files
	Install string   // the command for them, "" if none is known
	Problem string   // another one than missing files
	KVM     KVM
}

// KVM is whether guests run at full speed.
type KVM struct {
	Device  bool // there is /dev/kvm
	Usable  bool // and this user may open it
	Virtual bool // the processor can virtualize
	Intel   bool
	Tried   string // what became of the VM's kernel under KVM since the machine has booted: works, fails; "" if it has not been tried
}
