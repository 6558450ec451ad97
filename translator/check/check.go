// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"gostap/internal/panics"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Options are what the command line says about checking.
type Options struct {
	Guru         bool // -g: target variables may be written, guru functions called
	Unprivileged bool // --privilege=stapusr: only what tells nothing but of the user's own processes
	Unoptimized  bool // -u: what is unused stays in
	NoWarnings   bool // -w

	// Builtin reports whether a file is one of the embedded library, whose C
	// is part of the prebuilt runtime. nil stands for: none is.
	Builtin func(*syntax.Source) bool

	// Compatible is the version of SystemTap, as "1.4", whose meaning of scripts is wanted;
	// "" for the latest.
	Compatible string

	// AsStap refuses what SystemTap refuses though it has a meaning here: conditions call nothing, elements are not
	// deleted while foreach walks over their array, and a statistic's histograms are all of one kind. Probes that were
	// written without anything in their handler are left out; else they stay, as their hits can be counted.
	AsStap bool

	// Functions names what the library offers beyond e.Files; one of them may
	// be what a misspelt name was meant to be.
	Functions []string
}

// Check turns e into a typed program. The program is nil if the diagnostics,
// which come sorted, hold an error.
//
//	prog, diags := check.Check(elaborated, check.Options{Guru: guru})
//	if err := diags.Err(); err != nil { … }
func Check(e *program.Elaborated, opts Options) (*program.Program, syntax.Diagnostics) {
	c := &checker{
		elab:       e,
		opts:       opts,
		told:       map[telling]bool{},
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

// A checker holds what is known of one program.
type checker struct {
	elab  *program.Elaborated
	opts  Options
	diags syntax.Diagnostics
	told  map[telling]bool

	public  *fileScope                    // what every file sees
	scopes  map[*syntax.Source]*fileScope // what is private to a file
	globals []*global                     // in the order of their declarations
	groups  []*group                      // likewise
	queue   []*function                   // called, but not lowered yet
	lowered []*function                   // in the order of the first call
	probes  []*probe

	globalOf map[*program.Global]*global
	groupOf  map[*program.Function]*group
	loopless map[program.Stmt]bool       // break and continue that stand in no loop
	shifts   map[*program.StatRead]int64 // @variance's parameter
	handlers map[*syntax.Block]bool      // the blocks that are a probe's own, not an alias's

	neverRun     []neverRun
	embeddedUses map[*syntax.EmbeddedC][]embeddedUse
	display      map[*syntax.PrintExpr]bool // prints of globals at the end, which quote strings
	undeclared   map[string]bool            // arrays and statistics that were reported as such
	matched      bool                       // matched() is used

	pos         syntax.Pos // what is being gone over, for whom it may concern: see panics.At
	broken      bool       // names are wrong: what is unused may be used under its right one
	cur         *scope     // whose code is being gone over
	collect     bool       // while counting: note calls
	at          inference  // while types are gathered
	foreachs    []inferredLoop
	walkedCalls []walkedCall
	unassigned  []unassigned
}

// before reports whether scripts are to mean what they did before SystemTap's version.
func (c *checker) before(version string) bool {
	return c.opts.Compatible != "" && syntax.CompareVersions(c.opts.Compatible, version) < 0
}

// A telling is a diagnostic that was given: aliases and wildcards bring the
// same line many times.
type telling struct {
	pos syntax.Pos
	msg string
}

func (c *checker) errorf(pos syntax.Pos, format string, args ...any) *syntax.Diagnostic {
	d := c.diags.Errorf(pos, format, args...)
	return c.once(d)
}

// warnf warns of what the user wrote; the library's own is not their business.
func (c *checker) warnf(pos syntax.Pos, format string, args ...any) *syntax.Diagnostic {
	if c.opts.NoWarnings || !isUser(pos) {
		return &syntax.Diagnostic{}
	}
	d := c.diags.Warnf(pos, format, args...)
	return c.once(d)
}

// warnUnused warns of what seems unused.
func (c *checker) warnUnused(pos syntax.Pos, format string, args ...any) *syntax.Diagnostic {
	if c.broken {
		return &syntax.Diagnostic{}
	}
	return c.warnf(pos, format, args...)
}

// advise warns of what SystemTap says nothing about.
func (c *checker) advise(pos syntax.Pos, format string, args ...any) {
	if !c.opts.AsStap {
		c.warnUnused(pos, format, args...)
	}
}

// once takes d, the last diagnostic, back if it was given before.
func (c *checker) once(d *syntax.Diagnostic) *syntax.Diagnostic {
	t := telling{d.Pos, d.Msg}
	if c.told[t] {
		c.diags = c.diags[:len(c.diags)-1]
	}
	c.told[t] = true
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
