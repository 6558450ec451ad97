// SPDX-License-Identifier: GPL-2.0-or-later

// Package manifest is what a module carries for the consumer's eyes: JSON in
// the section .gostap of the .ko, which the kernel does not load. With it,
// a module built elsewhere runs where there is neither compiler nor BTF.
//
// Package emit makes it, package module-build puts it into the module, and
// package consumer reads it.
package manifest

// Section is the name of the ELF section.
const Section = ".gostap"

// Version is that of the shape below and of runtime-c/include/protocol.h.
const Version = 3

// A Manifest describes a module.
type Manifest struct {
	Version int
	Name    string // the module's
	Release string // of the kernel that it was built for
	// Images holds what the points and symbols are in, the kernel itself first, in the order of gs_program.images.
	Images []Image

	Formats []Format
	Hists   []Hist   `json:",omitempty"`
	Points  []Point  // in the order of gs_program.points
	Symbols []Symbol `json:",omitempty"`
	Globals []Global `json:",omitempty"` // those that -G can set

	// What the script asks for of programs: their stacks or mappings, and names of their symbols and lines of their
	// code in its handlers.
	UserStacks, UserSymbols, UserLines bool `json:",omitempty"`
	// What it asks for of the kernel: lines of its code in its handlers, and in stacks that are printed.
	KernelLines, PrintedLines bool `json:",omitempty"`
	// Lines is the file with these, a linetable.Table by the offset from _stext; "" if there is no debuginfo.
	Lines string `json:",omitempty"`

	// Views are the globals that can be read while it runs, and Probes the probes with figures, in the order of
	// gs_program.views and gs_program.timings; built with --monitor.
	Views  []View  `json:",omitempty"`
	Probes []Probe `json:",omitempty"`

	Bulk  bool `json:",omitempty"` // built with -b: the output goes to a file for each processor
	Tasks bool `json:",omitempty"` // built with --output=perfetto: records say in which thread a handler runs
}

// A Hist is one print(@hist_…) of the script.
type Hist struct {
	Of                  string `json:",omitempty"` // the global that it is of
	Linear              bool   `json:",omitempty"`
	Low, High, Interval int64  `json:",omitempty"`
	// Near is HIST_ELISION: how many of the empty buckets on each side of a
	// full one are drawn; all are if it is negative.
	Near int64
}

// A Point is one probe point.
type Point struct {
	Name  string // what pp() returns
	Probe string // as the script spells it
}

// An Image is a file of machine code: the kernel itself, a module, or a program or library.
type Image struct {
	Module  string `json:",omitempty"` // a kernel module's name
	Path    string `json:",omitempty"` // of a program or library, absolute, as its processes see it
	BuildID string `json:",omitempty"` // hex; "" if unknown
	Go      bool   `json:",omitempty"` // a program of Go's
	GoID    int64  `json:",omitempty"` // of a program of Go's: where struct g has the goroutine's number; 0 if unknown,
	GoCurg  int64  `json:",omitempty"` // and where struct m has the current one
}

// A Symbol is one of the kernel or of a module, whose address START brings.
type Symbol struct {
	Name   string
	Image  int    `json:",omitempty"` // index into Images
	Offset uint64 `json:",omitempty"` // from _stext, true for the kernel's BuildID alone; 0 if unknown
}

// A Global is a scalar global that -G can set.
type Global struct {
	Name   string
	String bool `json:",omitempty"`
}

// A View is a global as GS_IOC_VIEW writes it.
type View struct {
	Name  string
	Keys  string `json:",omitempty"` // of an array: a letter each, 'l' long, 's' string
	Value string // 'l' or 's'; "" for statistics, which are:
	Min   bool   `json:",omitempty"` // count, sum, the minimum,
	Max   bool   `json:",omitempty"` // the maximum,
	Hists []Hist `json:",omitempty"` // and the buckets of histograms
}

// A Probe is one as the script has it, which may stand for many points.
type Probe struct {
	Name   string // as the script spells it
	At     string // where: "path:line:col"
	Points int
}

// Buckets is how many a histogram has, those for what is out of its range included.
func (h *Hist) Buckets() int {
	if !h.Linear {
		return 128
	}
	return int((uint64(h.High)-uint64(h.Low))/uint64(h.Interval)) + 3
}
