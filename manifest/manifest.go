// SPDX-License-Identifier: GPL-2.0-or-later

// Package manifest is the description of a module for the consumer: JSON in the section .gostap of the
// .ko, which the kernel does not load. With it, a module built elsewhere runs on machines without
// compiler and BTF.
//
// Package emit makes it, package module-build puts it into the module, and package consumer reads it.
package manifest

// Section is the name of the ELF section.
const Section = ".gostap"

// Version is the version of the manifest's fields and of runtime-c/include/protocol.h.
const Version = 3

// A Manifest describes a module.
type Manifest struct {
	Version int
	Name    string // the module's
	Release string // of the kernel that it was built for
	// Images are the files of the points and symbols, the kernel itself first, in the order of
	// gs_program.images.
	Images []Image

	Formats []Format
	Hists   []Hist   `json:",omitempty"`
	Points  []Point  // in the order of gs_program.points
	Symbols []Symbol `json:",omitempty"`
	Globals []Global `json:",omitempty"` // those that -G can set

	// Data about programs that handlers use: their stacks or mappings, names of their symbols, and
	// lines of their code.
	UserStacks, UserSymbols, UserLines bool `json:",omitempty"`
	// Data about the kernel: lines of its code for handlers, and for stacks that are printed.
	KernelLines, PrintedLines bool `json:",omitempty"`
	// Lines is the file with these lines, a linetable.Table by the offset from _stext; "" if there is
	// no debuginfo.
	Lines string `json:",omitempty"`

	// Views are the globals that can be read while the session runs, and Probes the probes with
	// figures, in the order of gs_program.views and gs_program.timings; only with --monitor.
	Views  []View  `json:",omitempty"`
	Probes []Probe `json:",omitempty"`

	Bulk  bool `json:",omitempty"` // built with -b: each processor's output goes to a file of its own
	Tasks bool `json:",omitempty"` // built with --output=perfetto: records include the thread of the handler
}

// A Hist is one print(@hist_…) of the script.
type Hist struct {
	Of                  string `json:",omitempty"` // name of the global
	Linear              bool   `json:",omitempty"`
	Low, High, Interval int64  `json:",omitempty"`
	// Near is HIST_ELISION: the number of empty buckets that are drawn on each side of one that is not
	// empty; all are if it is negative.
	Near int64
}

// A Point is one probe point.
type Point struct {
	Name  string // what pp() returns
	Probe string // the probe point in the script
}

// An Image is a file of machine code: the kernel itself, a module, or a program or library.
type Image struct {
	Module  string `json:",omitempty"` // a kernel module's name
	Path    string `json:",omitempty"` // of a program or library, absolute, in the mount namespace of its processes
	BuildID string `json:",omitempty"` // hex; "" if unknown
	Go      bool   `json:",omitempty"` // a Go program
	GoID    int64  `json:",omitempty"` // of a Go program: the offset in bytes of the goroutine's number in struct g; 0 if unknown,
	GoCurg  int64  `json:",omitempty"` // and that of the current goroutine in struct m
}

// A Symbol is a symbol of the kernel or of a module, whose address START contains.
type Symbol struct {
	Name   string
	Image  int    `json:",omitempty"` // index into Images
	Offset uint64 `json:",omitempty"` // from _stext, valid only for the kernel with BuildID; 0 if unknown
}

// A Global is a scalar global that -G can set.
type Global struct {
	Name   string
	String bool `json:",omitempty"`
}

// A View describes the data of a global that GS_IOC_VIEW writes.
type View struct {
	Name  string
	Keys  string `json:",omitempty"` // of an array: a letter each, 'l' long, 's' string
	Value string // 'l' or 's'; "" for statistics, which are:
	Min   bool   `json:",omitempty"` // count, sum, the minimum,
	Max   bool   `json:",omitempty"` // the maximum,
	Hists []Hist `json:",omitempty"` // and the buckets of histograms
}

// A Probe is a probe of the script, which may have many points.
type Probe struct {
	Name   string // the probe in the script
	At     string // its position: "path:line:col"
	Points int
}

// Buckets is the number of buckets, including those for values out of range.
func (h *Hist) Buckets() int {
	if !h.Linear {
		return 128
	}
	return int((uint64(h.High)-uint64(h.Low))/uint64(h.Interval)) + 3
}
