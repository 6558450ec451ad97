// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

// A Status says how bad a finding is.
type Status string

const (
	OK      Status = "ok"
	Note    Status = "note"    // an ability is missing that not everybody needs
	Warning Status = "warning" // scripts run, but not all, or not as they should
	Error   Status = "error"   // scripts can't be built, or can't be run
)

// A Finding is what there is, or isn't, for one ability.
type Finding struct {
	Subject string `json:"subject"`       // what was looked at: "compiler"
	Status  Status `json:"status"`        //
	Text    string `json:"text"`          // what was found, and what is missing for want of it
	Fix     string `json:"fix,omitempty"` // the command that mends it; "" if none does
}

// Examine judges facts. The findings' order is that of the passes.
func Examine(f Facts) []Finding {
	list := []Finding{f.cache(), f.kernel(), f.options(), f.btf(), f.debuginfo()}
	if f.Program != nil {
		list = append(list, f.program())
	}
	list = append(list, f.headers())
	list = append(list, f.tools()...)
	if f.Live != nil {
		list = append(list, f.rights(), f.signing())
	}
	if f.Kernel.Options != nil {
		list = append(list, f.ftrace(), f.kprobes(), f.uprobes(), f.perf())
	}
	list = append(list, f.vm())
	if len(f.VM.Missing) == 0 && f.VM.Problem == "" && f.VM.Release != "" {
		list = append(list, f.kvm())
	}
	return list
}

// Worst is the status of the worst finding.
func Worst(list []Finding) Status {
	worst, rank := OK, map[Status]int{OK: 0, Note: 1, Warning: 2, Error: 3}
	for _, f := range list {
		if rank[f.Status] > rank[worst] {
			worst = f.Status
		}
	}
	return worst
}

// option is the value of an option of the kernel's configuration, "" if it is not set.
func (f Facts) option(name string) string { return f.Kernel.Options[name] }

// first is the first of some commands that there is.
func first(commands ...string) string {
	for _, c := range commands {
		if c != "" {
			return c
		}
	}
	return ""
}
