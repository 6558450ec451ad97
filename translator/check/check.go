// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"gostap/internal/panics"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Options are the options of the command line that concern checking.
type Options struct {
	Guru         bool // -g: target variables may be written, guru functions called
	Unprivileged bool // --privilege=stapusr: nothing but the user's own processes may be read
	Unoptimized  bool // -u: unused code is kept
	NoWarnings   bool // -w

	// Builtin reports whether a file is one of the embedded library, whose C is part of the prebuilt
	// runtime. nil means that no file is.
	Builtin func(*syntax.Source) bool

	// Compatible is the version of SystemTap that the script is written for, such as "1.4"; "" for the
	// latest.
	Compatible string

	// AsStap rejects what SystemTap rejects though gostap can run it: calls in conditions, deleting
	// elements of an array in a foreach loop over it, and histograms of several kinds of one statistic.
	// Probes that are written with an empty handler are dropped; without AsStap they are kept, as their
	// hits can be counted.
	AsStap bool

	// Functions are the names of library functions that e.Files do not declare; they are candidates for
	// the hint at a misspelt name.
	Functions []string
}

// Check turns e into a typed program. The program is nil if the diagnostics, which are sorted by
// position, include an error.
//
//	prog, diags := check.Check(elaborated, check.Options{Guru: guru})
//	if err := diags.Err(); err != nil { … }
func Check(e *program.Elaborated, opts Options) (*program.Program, syntax.Diagnostics) {
	c := &checker{
		elab:       e,
		opts:       opts,
		reported:   map[diagKey]bool{},
		scopes:     map[*syntax.Source]*fileScope{},
		public:     newFileScope(),
		loopless:   map[program.Stmt]bool{},
		globalOf:   map[*program.Global]*global{},
		groupOf:    map[*program.Function]*group{},
		shifts:     map[*program.StatRead]int64{},
		handlers:   map[*syntax.Block]bool{},
		display:    map[*syntax.PrintExpr]bool{},
		undeclared: map[string]bool{},

		embeddedUses: map[*syntax.EmbeddedC][]embeddedUse{},
	}
	defer panics.At(&c.pos)
	c.declare()
	c.lowerAll()
	c.broken = c.diags.Err() != nil
	c.findUnused()
	c.elide()
	c.checkConditions()
	c.displayGlobals()
	c.inferAll()
	prog := c.finish()
	c.checkPrivilege(prog)
	c.diags.Sort()
	if c.diags.Err() != nil {
		prog = nil
	}
	return prog, c.diags
}

// A checker is the state of the check of one program.
type checker struct {
	elab     *program.Elaborated
	opts     Options
	diags    syntax.Diagnostics
	reported map[diagKey]bool

	public  *fileScope                    // names visible in every file
	scopes  map[*syntax.Source]*fileScope // names private to a file
	globals []*global                     // in the order of their declarations
	groups  []*group                      // in the order of their declarations
	queue   []*function                   // called, but not lowered yet
	lowered []*function                   // in the order of the first call
	probes  []*probe

	globalOf map[*program.Global]*global
	groupOf  map[*program.Function]*group
	loopless map[program.Stmt]bool       // break and continue outside of loops
	shifts   map[*program.StatRead]int64 // @variance's parameter
	handlers map[*syntax.Block]bool      // bodies written in the probe itself, not in an alias

	neverRun     []neverRun
	embeddedUses map[*syntax.EmbeddedC][]embeddedUse
	display      map[*syntax.PrintExpr]bool // the prints of globals at the end, which quote strings
	undeclared   map[string]bool            // arrays and statistics whose missing declaration has been reported
	matched      bool                       // matched() is used

	pos         syntax.Pos // the position being checked, for panics.At
	broken      bool       // a name could not be resolved: a global that seems unused may be what was meant
	cur         *scope     // of the code being checked
	collect     bool       // record calls while counting
	at          inference  // the state of type inference
	foreachs    []inferredLoop
	walkedCalls []walkedCall
	unassigned  []unassigned
}

// before reports whether the script is written for a version of SystemTap before the given one.
func (c *checker) before(version string) bool {
	return c.opts.Compatible != "" && syntax.CompareVersions(c.opts.Compatible, version) < 0
}

// A diagKey identifies a diagnostic, so that it is reported once: with aliases and wildcards the same
// line is checked many times.
type diagKey struct {
	pos syntax.Pos
	msg string
}

func (c *checker) errorf(pos syntax.Pos, format string, args ...any) *syntax.Diagnostic {
	d := c.diags.Errorf(pos, format, args...)
	return c.once(d)
}

// warnf warns of code of the user's; warnings about the library are dropped.
func (c *checker) warnf(pos syntax.Pos, format string, args ...any) *syntax.Diagnostic {
	if c.opts.NoWarnings || !isUser(pos) {
		return &syntax.Diagnostic{}
	}
	d := c.diags.Warnf(pos, format, args...)
	return c.once(d)
}

// warnUnused warns of code that seems unused.
func (c *checker) warnUnused(pos syntax.Pos, format string, args ...any) *syntax.Diagnostic {
	if c.broken {
		return &syntax.Diagnostic{}
	}
	return c.warnf(pos, format, args...)
}

// advise gives a warning that SystemTap does not have.
func (c *checker) advise(pos syntax.Pos, format string, args ...any) {
	if !c.opts.AsStap {
		c.warnUnused(pos, format, args...)
	}
}

// once removes d, the last diagnostic, if the same one has been reported before.
func (c *checker) once(d *syntax.Diagnostic) *syntax.Diagnostic {
	t := diagKey{d.Pos, d.Msg}
	if c.reported[t] {
		c.diags = c.diags[:len(c.diags)-1]
	}
	c.reported[t] = true
	return d
}

// file returns the file that pos is in, or whose macro was expanded at pos.
func file(pos syntax.Pos) *syntax.Source {
	for pos.Source != nil && pos.Source.Expansion.IsValid() {
		pos = pos.Source.Expansion
	}
	return pos.Source
}

func isUser(pos syntax.Pos) bool {
	src := file(pos)
	return src != nil && src.Origin == syntax.User
}

func (c *checker) isBuiltin(pos syntax.Pos) bool {
	src := file(pos)
	return src != nil && src.Origin != syntax.User && c.opts.Builtin != nil && c.opts.Builtin(src)
}
