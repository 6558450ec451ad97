// SPDX-License-Identifier: GPL-2.0-or-later

// Package program is the typed script: probes are resolved to points, names to variables, and every
// expression has a type.
//
// It consists of types only. Package elaborate makes an Elaborated of syntax trees; package check turns
// that into a Program; package emit writes a Program as C.
package program

import (
	"fmt"

	"gostap/translator/syntax"
)

// A Type is the type of a value, a variable or an array's elements.
type Type uint8

const (
	Unknown Type = iota
	Long         // 64-bit signed
	String
	Stat // a statistic, filled with <<<
	Void // the result of functions without one
)

// String returns the type's name in scripts.
func (t Type) String() string {
	return [...]string{"unknown", "long", "string", "stats", "void"}[t]
}

// A Program is a script that has passed every check: it has no unused parts, and its names and types
// are resolved.
type Program struct {
	Globals   []*Global
	Functions []*Function // those that are called, including the library's
	Probes    []*Probe    // in the order of the script
	Embedded  []*syntax.EmbeddedC
}

// A Global is a global variable: a number, a string, a statistic, or an array
// of one of them.
type Global struct {
	At      syntax.Pos
	Name    string // unique in the program; private ones of a library file include the file's name
	Type    Type   // of the scalar, or of the array's elements
	Keys    []Type // nil for a scalar; Long or String each, one to nine
	Init    Expr   // *Number, *Text or nil
	MaxSize int64  // entries, 0 for MAXMAPENTRIES
	Wrap    bool
	Stat    *StatSpec // non-nil if Type is Stat: the figures to be kept
}

// A StatSpec lists the figures of a statistic that are read. Count and sum are always kept.
type StatSpec struct {
	Min, Max, Variance bool
	BitShift           int64   // @variance's parameter
	Hists              []*Hist // without duplicates
}

// A Hist is a histogram: logarithmic if Linear is false, else with buckets of width Interval from Low
// to High and one each below and above.
type Hist struct {
	Linear              bool
	Low, High, Interval int64
}

// A Local is a local variable or parameter of one probe or function.
type Local struct {
	At   syntax.Pos
	Name string
	Type Type // Long or String
}

// A Function is one variant of a script function, or one of embedded C.
type Function struct {
	At      syntax.Pos
	Name    string // unique in the program; for overloads with the number of parameters and the rank
	Script  string // in the script
	Params  []*Local
	Locals  []*Local // without Params
	Result  Type     // Void, Long or String
	Body    []Stmt
	Code    *syntax.EmbeddedC // instead of Body
	Builtin bool              // Code of the embedded tapset library, which is in the prebuilt runtime
	Pure    bool              // Code marked /* pure */, or a Body without effects
	Next    *Function         // the overload that `next` falls through to, nil if none
}

// A Probe is a handler and all the points at which it runs.
type Probe struct {
	At     syntax.Pos
	Name   string // the probe point in the script
	Points []*Point
	Locals []*Local
	Cond   Expr   // the condition of the point, nil if there is none
	Saved  []Expr // evaluated at the function's entry for SavedValue, in return probes
	Body   []Stmt
}

// A Point is one probe site or event that a probe is attached to.
type Point struct {
	At     syntax.Pos
	Family string // the family in runtime-c/kernel: "begin", "timer", "function", "return", …
	Name   string // what pp() returns
	Script string // what pn() returns: the alias in the script, with its suffix; "" if there is none, and pn() is Name
	Func   string // what probefunc() returns, "" if it is to be looked up by the address
	Site
	// Program is the path of the program whose processes hit the point, if a library's function is
	// probed in one program only; "" for all processes.
	Program string
	// File is the path of the point's file, below the session's folder in procfs; of the family
	// perftask, the name of the counter, if the point is one.
	File string
	// Returns are the offsets in the program's file of the instructions by which the function at the
	// site returns; nil if the kernel's uretprobes are to be used.
	Returns []uint64
	// Args are the family's parameters. A process is its id, 0 for any, or TargetProcesses.
	//
	//	begin, end, error  sequence number
	//	timer              period in ns, randomization in ns
	//	return             maxactive
	//	uprobe             process
	//	uretprobe          maxactive, process
	//	process            one of ProcessBegin and so on, process
	//	step               StepInsn or StepBlock, process
	//	netfilter          protocol family << 8 | hook, priority
	//	perf               the event's config, its type << 47 | events for each hit,
	//	                   or the negative of that with hits per second
	//	perftask           the same | PerfOfTarget, with 0 events for a counter
	//	procfs             mode and one of ProcfsRead and ProcfsWrite, size of what is read
	//	                   in bytes, 0 for the limit's
	//	hwbreak            address if there is no Symbol, length in bytes, negative if
	//	                   reads count, too
	Args [2]int64
	// Registers is set if the handler needs all registers; otherwise it gets those of a function's
	// arguments and its result.
	Registers bool
	// Cold is set for points that fire rarely (begin, end, error, timers of a millisecond and more):
	// their handlers may be slower so that others are faster.
	Cold bool
}

// IsCounter reports whether the point is a counter that PerfCount reads: no handler runs at it.
func (pt *Point) IsCounter() bool { return pt.Family == "perftask" && pt.File != "" }

// TargetProcesses is used as a process id: the target process and its descendants.
const TargetProcesses = -1

// PerfOfTarget is set in the second argument of perftask's points, before its sign, if only the
// processes of the target are counted.
const PerfOfTarget = 1 << 62

// Events of the family process, in a point's first argument.
const (
	ProcessBegin = 1 + iota
	ProcessEnd
	ThreadBegin
	ThreadEnd
	SyscallEntry
	SyscallReturn
)

// What the family step counts, in a point's first argument.
const (
	StepInsn = 1 + iota
	StepBlock
)

// Events of the family procfs, combined with the mode in a point's first argument.
const (
	ProcfsRead  = 1 << 16
	ProcfsWrite = 1 << 17
)

// Elaborated is the result of elaboration, which the checker reads.
type Elaborated struct {
	// Files begins with the user's file, followed by the library's files that are referred to.
	Files  []*syntax.File
	Probes []*ElaboratedProbe
	// Values resolves target variables and @operators in functions.
	Values map[syntax.Expr]*Value
}

// An ElaboratedProbe is one probe with its aliases resolved to points.
type ElaboratedProbe struct {
	At      syntax.Pos
	Name    string
	Points  []*Point // share Bodies and Values
	Targets bool     // target variables can be used at them
	Conds   []syntax.Expr
	// Bodies run one after the other in one scope: the prologues of the aliases, the handler, and the
	// epilogues.
	Bodies []*syntax.Block
	// Values resolves the target variables and @operators in Bodies and Conds.
	Values map[syntax.Expr]*Value
	// Saved is evaluated at the probed function's entry, for the SavedValues in Values.
	Saved []Expr
}

// A Value is the value of a target variable or an @operator.
type Value struct {
	X     Expr   // its value; nil if Err is set
	Store Expr   // for assignment: a *Deref, *Cast or register expression that can be written; nil if it can't be assigned to
	Fixed string // why it can't be assigned to, "" for no particular reason
	Free  bool   // it can be assigned to without guru mode
	// Err is reported if the checker keeps the expression: @defined($x) ? $x : 0 drops it. With a
	// Store, it concerns only reading.
	Err *syntax.Diagnostic
	// Points is the type that X points to if X is an address, for the elaborator (a *vars.Pointed);
	// else nil.
	Points fmt.Stringer
}
