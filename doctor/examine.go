// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

// A Status is the severity of a finding.
type Status string

const (
	OK      Status = "ok"
	Note    Status = "note"    // a feature that not everybody needs is missing
	Warning Status = "warning" // scripts run, but not all, or not as they should
	Error   Status = "error"   // scripts can't be built, or can't be run
)

// A Finding describes whether one requirement is met.
type Finding struct {
	Subject string `json:"subject"`       // what was checked: "compiler"
	Status  Status `json:"status"`        //
	Text    string `json:"text"`          // the result, and the features that are missing because of it
	Fix     string `json:"fix,omitempty"` // the command that fixes it; "" if there is none
}

// Examine evaluates facts. The findings are in the order of the passes.
func Examine(f Facts) []Finding {
	list := []Finding{f.cache(), f.kernel(), f.options(), f.btf(), f.debuginfo()}
	if f.Program != nil {
		list = append(list, f.program())
	}
	list = append(list, f.headers())
	list = append(list, f.tools()...)
	if f.Live != nil {
		list = append(list, f.rights())
		if !f.Live.NoModules {
			list = append(list, f.signing())
		}
	}
	if f.Kernel.Options != nil {
		list = append(list, f.ftrace())
		if f.option("CONFIG_KPROBES") == "y" {
			list = append(list, f.kprobes())
		}
		list = append(list, f.uprobes(), f.perf())
	}
	list = append(list, f.vm())
	if f.VM.Usable() {
		list = append(list, f.kvm())
	}
	return list
}

// Worst is the highest severity among the findings.
func Worst(list []Finding) Status {
	worst, rank := OK, map[Status]int{OK: 0, Note: 1, Warning: 2, Error: 3}
	for _, f := range list {
		if rank[f.Status] > rank[worst] {
			worst = f.Status
		}
	}
	return worst
}

// option is the value of a kernel option, "" if it is not set.
func (f Facts) option(name string) string { return f.Kernel.Options[name] }

// first is the first command that is not empty; "" if none is.
func first(commands ...string) string {
	for _, c := range commands {
		if c != "" {
			return c
		}
	}
	return ""
}
