// SPDX-License-Identifier: GPL-2.0-or-later

// Package doctor checks a machine for gostap's requirements, and names the commands that fix what is
// missing. Probe collects facts; Examine evaluates them, so they may come from another machine.
//
// \tfacts := doctor.Probe("6.1.0-56-amd64", "")
// \tfor _, f := range doctor.Examine(facts) { … }
package doctor

import (
	"gostap/internal/distro"
	modulebuild "gostap/module-build"
)

// Facts are the properties of a machine that matter for one kernel.
type Facts struct {
	Distribution distro.Distribution
	Kernel       Kernel
	Needs        modulebuild.Needs // requirements for building modules
	Pahole       bool
	Debuginfo    Debuginfo // the kernel's
	Program      *Program  // nil: no program was given
	Live         *Live     // nil: the kernel is not the running one
	Cache        Cache
	VM           VM
}

// A Kernel has the facts about a kernel that do not require running it.
type Kernel struct {
	Release string
	Image   string
	BuildID string            // hex; "" if unknown
	Problem string            // why the kernel's image can't be read; "" if it can
	Missing bool              // because it is not installed
	BTF     bool              // the kernel has BTF
	Options map[string]string // CONFIG_…: "y", "m" or a value; nil if the configuration is not available
}

// A Debuginfo describes the debuginfo of the kernel or of a program.
type Debuginfo struct {
	Path    string // "" if there is none
	Problem string // why it can't be used, "" if it can
}

// A Program is a program whose debuginfo is checked.
type Program struct {
	Path    string
	BuildID string // hex; "" if it has none
	Problem string // why it can't be read; "" if it can
	Debuginfo
	Servers []string // debuginfod's, from DEBUGINFOD_URLS
}

// Live has the permissions and settings of the running kernel.
type Live struct {
	UID             int
	LoadModules     bool   // CAP_SYS_MODULE
	Administer      bool   // CAP_SYS_ADMIN
	NoModules       bool   // CONFIG_MODULES is off
	ModulesDisabled bool   // by sysctl, until the next boot
	Lockdown        string // none, integrity or confidentiality; "" if unknown
	SigEnforce      bool
	SecureBoot      bool
	Keys            []Key
	Mokutil         bool
	FtraceEnabled   string // kernel.ftrace_enabled: 1, 0; "" if unknown
	KprobesEnabled  string // /sys/kernel/debug/kprobes/enabled: 1, 0; "" if unknown
	Counters        bool   // hardware performance events are available
}

// A Key is a key for signing modules that exists on this machine.
type Key struct {
	Key, Cert string // files
	Enrolled  bool   // according to mokutil
}

// A Cache is the folder in which gostap stores what it builds.
type Cache struct {
	Root    string
	Problem string // why it can't be written; "" if it can
	FreeMB  int64
}

// A VM has the requirements of --vm.
type VM struct {
	Release string   // the kernel that it would run; "" if there is none
	Missing []string // missing files
	Install string   // the command for them, "" if none is known
	Problem string   // a problem other than missing files
	KVM     KVM
}

// Usable reports whether --vm works, whatever building for its kernel takes.
func (v VM) Usable() bool { return len(v.Missing) == 0 && v.Problem == "" && v.Release != "" }

// A KVM tells whether guests run at full speed.
type KVM struct {
	Device  bool // /dev/kvm exists
	Usable  bool // this user may open it
	Virtual bool // the processor supports virtualization
	Intel   bool
	Tried   string // the result of KVM with the VM's kernel since the machine has booted: works, fails; "" if it has not been tried
}
