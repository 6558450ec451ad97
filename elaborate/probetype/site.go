// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/elaborate/probepoint"
	"gostap/elaborate/vars"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A ProbeSite is one of the concrete points that a probe point of the script stands for: where it is,
// and what a handler there knows.
type ProbeSite struct {
	Point  *program.Point
	Before *syntax.Block  // runs before all else there, nil for nothing
	Vars   *vars.Resolver // what target variables are there; nil: none
	After  *syntax.Block  // runs after all else there, nil for nothing
	Wild   bool           // one of many that a wildcard stands for
	Silent bool           // no handler ever runs there
}

// A Context is what the builders find sites in: one elaboration.
type Context struct {
	*vars.Env
	Diags *syntax.Diagnostics // warnings
	// Broken is what is wrong however optional a probe point is, as that the
	// kernel can't be looked into; nil for nothing.
	Broken *syntax.Diagnostic

	// Optional says that the point need not be there (?, !, or one of those that a wildcard stands for). Errors have no hints then, as
	// nobody sees them: looking for what was meant takes longer than all else.
	Optional bool

	watched int                        // kernel.data points so far
	procfs  map[string]map[string]bool // what is probed of files, "read" or "write", by their paths
}

// A match is a probe point that fits a kind's pattern.
type match = probepoint.Point

// A builder finds the sites that a probe point of its kind stands for. A
// probe point that is well written and stands for none is an error.
type builder func(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic)

// Find finds the sites that a probe point stands for; known is false if no
// kind has such points.
func (c *Context) Find(pt *syntax.ProbePoint) (sites []*ProbeSite, known bool, d *syntax.Diagnostic) {
	build, d := find(pt)
	if d != nil {
		return nil, false, d
	}
	if d := c.checkPrivilege(pt); d != nil {
		return nil, true, d
	}
	sites, d = build(c, match{ProbePoint: pt})
	return sites, true, d
}

// kernel returns the kernel itself. Where it can't be looked into, no probe
// point is so optional that this would not matter.
func (c *Context) kernel(m match) (image.Image, *syntax.Diagnostic) {
	k, err := c.Target.Image()
	if err != nil {
		c.Broken = c.Target.Complain(m.At, err)
		return nil, c.Broken
	}
	return k, nil
}

// collect notes for the probe cache that m takes the code of functions.
func (c *Context) collect(src *image.Source, m match, functions []dwarf.Func) error {
	return c.Target.Collect(src, m, functions)
}
