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
	Before *syntax.Block  // runs before the handler, nil for nothing
	Vars   *vars.Resolver // resolves target variables; nil: there are none
	After  *syntax.Block  // runs after the handler, nil for nothing
	Wild   bool           // one of many that a wildcard stands for
	Silent bool           // no handler ever runs there
}

// A Context is what the builders find sites in: one elaboration.
type Context struct {
	*vars.Env
	Diags *syntax.Diagnostics // warnings
	// Broken is an error that is reported even for optional probe points: for instance
	// that the kernel can't be read; nil: none.
	Broken *syntax.Diagnostic

	// Optional says that the point may be missing (?, !, or one that a wildcard stands for). Errors have no hints then, as
	// they are not shown, and searching for suggestions takes long.
	Optional bool

	watched int                        // kernel.data points so far
	procfs  map[string]map[string]bool // the probed files: by path, "read" and "write"
}

// A match is a probe point that fits a kind's pattern.
type match = probepoint.Point

// A builder finds the sites that a probe point of its kind stands for. A
// probe point without any is an error, even if it is well-formed.
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

// kernel returns the kernel's image. If it can't be read, that is an error for
// optional probe points, too.
func (c *Context) kernel(m match) (image.Image, *syntax.Diagnostic) {
	k, err := c.Target.Image()
	if err != nil {
		c.Broken = c.Target.Complain(m.At, err)
		return nil, c.Broken
	}
	return k, nil
}

// collect records for the probe cache that m needs the debuginfo of functions.
func (c *Context) collect(src *image.Source, m match, functions []dwarf.Func) error {
	return c.Target.Collect(src, m, functions)
}
