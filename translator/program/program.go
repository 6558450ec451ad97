// SPDX-License-Identifier: GPL-2.0-or-later

// Package program is the script as the later passes know it: probes resolved
// to points, names resolved to variables, every expression typed.
//
// It is only data. Package elaborate makes an Elaborated out of syntax trees;
// package check turns that into a Program; package emit writes a Program as C.
package program

import (
	"fmt"

	"gostap/translator/syntax"
)

// A Type is what a value, a variable or an array's element is.
type Type uint8

const (
	Unknown Type = iota
	Long         // 64-bit signed
	String
	Stat // a statistic, filled with <<<
	Void // what a function without result returns
)

// String returns the type as scripts spell it.
func (t Type) String() string {
	return [...]string{"unknown", "long", "string", "stats", "void"}[t]
}

// A Program is a script that has passed every check: what it holds is used,
// what it names exists, and its types agree.
type Program struct {
	Globals   []*Global
	Functions []*Function // the reachable ones, library's included
	Probes    []*Probe    // in the order in which they are written
	Embedded  []*syntax.EmbeddedC
}

// A Global is a global variable: a number, a string, a statistic, or an array
// of one of them.
type Global struct {
	At      syntax.Pos
	Name    string // unique in the program; private ones of a library file carry its name
	Type    Type   // of the scalar, or of the array's elements
	Keys    []Type // nil for a scalar; Long or String each, one to nine
	Init    Expr   // *Number, *Text or nil
	MaxSize int64  // entries, 0 for MAXMAPENTRIES
	Wrap    bool
	Stat    *StatSpec // non-nil if Type is Stat: what has to be kept
}

// A StatSpec says which figures of a statistic are ever asked for.
// Count and sum are always kept.
type StatSpec struct {
	Min, Max, Variance bool
	BitShift           int64   // @variance's parameter
	Hists              []*Hist // one for each distinct histogram that is asked for
}

// A Hist is a histogram: logarithmic if Linear is false, else with buckets of
// Interval from Low to High and one each below and above.
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
	Name    string // unique in the program: overloads carry their arity and rank
	Script  string // as the script spells it
	Params  []*Local
	Locals  []*Local // without Params
	Result  Type     // Void, Long or String
	Body    []Stmt
	Code    *syntax.EmbeddedC // instead of Body
	Builtin bool              // Code of the embedded tapset library, which lives in the prebuilt runtime
	Pure    bool              // Code marked /* pure */, or a Body without effects
	Next    *Function         // the overload that `next` falls through to, nil if none
}

// A Probe is a handler and all the points at which it runs.
type Probe struct {
	At     syntax.Pos
	Name   string // the probe point as the script spells it
	Points []*Point
	Locals []*Local
	Cond   Expr   // if (Cond) on the point, nil if none
	Saved  []Expr // evaluated at function entry for SavedValue, in return probes
	Body   []Stmt
}

// A Point is one place or event that a probe is attached to.
type Point struct {
	At     syntax.Pos
	Family string // which file of runtime-c/kernel serves it: "begin", "timer", "function", "return", …
	Name   string // what pp() returns
	Script string // what pn() returns: the alias that the script names, with what is behind it; "" if there is none, and it is Name
	Func   string // what probefunc() returns, "" if it is to be found from the address
	Site
	// Program is the path of the program whose processes count, "" for those of all: that which a
	// library's function is probed in.
	Program string
	// File is the path of the file that the point is about, below the session's folder in procfs; of the
	// family perftask, the name of the counter that it is.
	File string
	// Returns holds where a program's file has the instructions by which the function at the
	// site returns; nil where the kernel has to find its returns.
	Returns []uint64
	Args    [2]int64
	// Args are the family's own: begin, end, error: sequence number;
	// timer: period in ns, randomization in ns; return, kretprobe: maxactive;
	// uprobe: process; uretprobe: maxactive, process; process: one of ProcessBegin and so on, process; a process is its id, 0 for any;
	// netfilter: the protocol family << 8 | the hook, the priority;
	// perf, perftask: the event's config, its type << 47 | how many events lead to a hit, or the negative of that with hits
	// in a second; perftask: | PerfOfTarget, and 0 events for a counter;
	// procfs: the file's mode and one of ProcfsRead and ProcfsWrite, the size of what is read, 0 for the limit's;
	// hwbreak: the address if there is no Symbol, the length in bytes, below 0 if reading counts too.

	// Registers is set where only all registers will do; else the handler
	// sees those that carry a function's arguments and its result.
	Registers bool
	// Cold marks the points that fire seldom (begin, end, error, timers of a
	// millisecond and more): their handlers may pay so that others need not.
	Cold bool
}

// IsCounter reports whether PerfCount reads the point: no handler runs at it.
func (pt *Point) IsCounter() bool { return pt.Family == "perftask" && pt.File != "" }

// TargetProcesses stands for a process's id: that of the target and those descended from it.
const TargetProcesses = -1

// PerfOfTarget is set in the second argument of perftask's points, before its sign, if only the processes of the target count.
const PerfOfTarget = 1 << 62

// What a point of the family process is at, in its first argument.
const (
	ProcessBegin = 1 + iota
	ProcessEnd
	ThreadBegin
	ThreadEnd
	SyscallEntry
	SyscallReturn
)

// What a point of the family procfs is at, beside the mode in its first argument.
const (
	ProcfsRead  = 1 << 16
	ProcfsWrite = 1 << 17
)

// Elaborated is what pass 2 hands to the checker.
type Elaborated struct {
	// Files holds the user's file first, then the library's files that
	// something in a file before them refers to.
	Files  []*syntax.File
	Probes []*ElaboratedProbe
	// Values resolves target variables and @operators that stand in functions.
	Values map[syntax.Expr]*Value
}

// An ElaboratedProbe is one probe with its aliases followed to real points.
type ElaboratedProbe struct {
	At      syntax.Pos
	Name    string
	Points  []*Point // share Bodies and Values
	Targets bool     // there are target variables at them
	Conds   []syntax.Expr
	// Bodies run one after the other in one scope: the prologues of its
	// aliases, the handler, and their epilogues.
	Bodies []*syntax.Block
	// Values resolves the target variables and @operators in Bodies and Conds.
	Values map[syntax.Expr]*Value
	// Saved is evaluated at the probed function's entry, for the SavedValues in Values.
	Saved []Expr
}

// A Value is what a target variable or an @operator turned out to be.
type Value struct {
	X     Expr   // its value; nil if Err is set
	Store Expr   // for assignment: a *Deref, *Cast or register expression that can be written; nil if it can't
	Fixed string // why it can't, "" for no particular reason
	Free  bool   // it can be assigned to without guru mode
	// Err is reported if the checker keeps the expression: @defined($x) ? $x : 0 drops it. With a
	// Store it is for reading alone.
	Err *syntax.Diagnostic
	// Points is what X points to if it is an address, as the elaborator knows it (*vars.Pointed);
	// nil if it is none.
	Points fmt.Stringer
}
