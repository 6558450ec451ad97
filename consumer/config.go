// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"io"
	"os"
	"time"

	"gostap/live"
)

// Config has the parameters of a session.
type Config struct {
	Module     string        // path of the .ko; for RunHost, of the program
	Target     int           // target(), unless Command is given
	Images     []string      // programs and libraries whose stacks are expected: -d
	Libraries  bool          // with the libraries that these need: --ldd
	Command    string        // of -c: started with the session, which ends when it does
	Globals    []string      // "name=value" of -G
	Namespaces int           // the process whose namespaces ns_pid() and others count in; 0: this one
	Output     io.Writer     // nil: standard output
	Bulk       *Bulk         // a file for each processor instead of Output; nil: none
	Stderr     io.Writer     // messages; nil: standard error
	JSON       bool          // write objects instead of text
	Blocks     bool          // draw histograms with block characters and units, for a terminal
	Terminal   bool          // escape control characters in strings that are printed as text
	Collector  Collector     // takes the records instead of Output; nil: none
	Samples    *Stacks       // takes the stacks, too; nil: none
	BufferMB   int           // of buffers for each CPU; 0: the default
	Timeout    time.Duration // ends the session; 0: never
	Script     string        // its name in gostap list
	Recorder   bool          // flight recorder: start it and leave it, overwriting the oldest records
	Dump       bool          // Attach: write what the buffers hold, and leave
	End        bool          // Attach: end the session at once
	Started    func()        // is called once the probes are armed, unless the script has ended by then; may be nil
	NoWarnings bool          // -w

	// Watch is called with the live session once the probes are armed, unless the script has ended by then. The function
	// that it returns is called when the end probes have run, while the session can still be read. May be nil.
	Watch func(live.Session) (end func())

	// Final is called with the globals' final values, read when the end probes have run, or nil if they can't be
	// read. May be nil.
	Final func(*live.Snapshot)

	// Events is called with what each run of a handler prints, and with handlers' messages, from several goroutines; it
	// must not block. May be nil.
	Events func(live.Event)

	// Progress is called with the name of a step that may take long, and with "" at its end; may be nil.
	Progress func(what string)
	// Writing is called before something is written to Output; may be nil.
	Writing func(text []byte)

	Color   bool // messages show colours
	Verbose int  // 1: say what memory a session takes; 2: also what is being done
}

func (c *Config) output() io.Writer {
	if c.Output != nil {
		return c.Output
	}
	return os.Stdout
}

// commandOutput is the standard output of the command of -c: not that of a collector, whose format allows no other lines.
func (c *Config) commandOutput() *os.File {
	if _, files := c.Output.(*Files); c.Collector != nil && !files {
		return os.Stderr
	}
	return os.Stdout
}

func (c *Config) stderr() io.Writer {
	if c.Stderr != nil {
		return c.Stderr
	}
	return os.Stderr
}

// Result is the outcome of a session.
type Result struct {
	// ExitCode is what the process should return: 0, or 1 if the script raised an error
	// that ended it, the command of -c failed, or the session was broken off.
	ExitCode int
	Left     string // the module of a session that continues; "" if it has ended
	Stats    Stats
}

// Stats are a session's counts.
type Stats struct {
	Records     uint64   // read and written out
	Written     []uint64 // by the kernel, for each CPU
	Lost        []uint64 // for lack of room, for each CPU
	Overwritten []uint64 // before they were read, for each CPU
	Errors      uint64   // raised in handlers
	Skipped     uint64   // handlers not run
	Unarmed     uint32   // points that could not be armed
}
