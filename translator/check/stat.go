// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// maxBuckets is the maximal number of buckets of a linear histogram.
const maxBuckets = 1 << 16

// statOp lowers @count(x) and the like.
func (s *scope) statOp(x *syntax.StatOp) program.Expr {
	switch x.Op {
	case "count", "sum", "min", "max", "avg", "variance":
	default:
		s.c.errorf(x.At, "a histogram can be printed, indexed and iterated over, but has no value")
		return &invalid{x.At}
	}
	n := &program.StatRead{At: x.At, Op: x.Op, X: s.statistic(x.X, "@"+x.Op), EmptyIsZero: s.c.before("1.5")}
	if len(x.Params) == 1 {
		s.c.shifts[n] = x.Params[0]
	}
	return n
}

// statistic lowers the operand of op.
func (s *scope) statistic(x syntax.Expr, op string) program.Expr {
	switch x := x.(type) {
	case *syntax.Ident:
		for i := len(s.loops) - 1; i >= 0; i-- {
			if l := s.loops[i]; l.value != nil && l.valueName == x.Name && op != "<<<" {
				if l.cursor == nil {
					return &invalid{x.At}
				}
				return &program.StatCursor{At: x.At, Cursor: l.cursor}
			}
		}
		l, g := s.locals[x.Name], s.global(x.Name)
		if g == nil || l != nil && l.param {
			if s.c.undeclared[x.Name] {
				return &invalid{x.At}
			}
			s.c.undeclared[x.Name] = true
			d := s.c.errorf(x.At, "%s works on statistics, which are global, but %q is not declared so", op, x.Name).InStap("stat locals not supported, missing global declaration? ")
			if d.Hint = s.c.near(x.Name, s.globalNames()); d.Hint == "" {
				d.Hint = "declare it outside of the probe: global " + x.Name
			}
			return &invalid{x.At}
		}
		return s.ident(x)
	case *syntax.IndexExpr:
		if array, ok := x.X.(*syntax.Ident); ok {
			e := s.element(x, array)
			if e == nil {
				return &invalid{x.At}
			}
			if s.c.opts.AsStap && hasStar(e.Keys) {
				s.c.errorf(x.At, "%s of several elements: called as stap, it takes all keys", op).InStap("wildcard not allowed in array index")
				return &invalid{x.At}
			}
			return e
		}
	}
	s.c.errorf(x.Pos(), "%s works on a global variable or an array's element, but this is none", op)
	return &invalid{x.Pos()}
}

func hasStarElement(x program.Expr) bool {
	e, ok := x.(*program.Element)
	return ok && hasStar(e.Keys)
}

// hist makes the histogram of x, nil after an error.
func (s *scope) hist(x *syntax.StatOp) *program.Hist {
	if x.Op == "hist_log" {
		return &program.Hist{}
	}
	if x.Op != "hist_linear" || len(x.Params) != 3 {
		s.c.errorf(x.At, "@%s is no histogram; there are @hist_log and @hist_linear", x.Op)
		return nil
	}
	h := &program.Hist{Linear: true, Low: x.Params[0], High: x.Params[1], Interval: x.Params[2]}
	switch span := uint64(h.High) - uint64(h.Low); {
	case h.Interval == 0:
		s.c.errorf(x.At, "histogram: interval cannot be zero")
	case h.Low > h.High || h.Interval < 0 || span/uint64(h.Interval) >= maxBuckets:
		s.c.errorf(x.At, "histogram: Number of buckets must be between 1 and %d", maxBuckets).
			Hint = "Number_of_buckets = (stop - start) / interval: adjust the start, stop and interval values"
	default:
		return h
	}
	return nil
}

// spec returns the figures and histograms to be kept for g.
func (g *global) spec() *program.StatSpec {
	if g.Stat == nil {
		g.Stat = &program.StatSpec{}
	}
	return g.Stat
}

// useOp records that op is used on g.
func (c *checker) useOp(g *global, op string) {
	switch op {
	case "min":
		g.spec().Min = true
	case "max":
		g.spec().Max = true
	}
}

// useVariance records that @variance(g, shift) is used; a global has one shift, which may be given in
// any of its uses.
func (c *checker) useVariance(g *global, shift int64, pos syntax.Pos) {
	spec := g.spec()
	switch {
	case shift < 0 || shift > 62:
		c.errorf(pos, "@variance's bit shift must be from 0 to 62, but is %d", shift)
	case !spec.Variance || spec.BitShift == 0:
		spec.Variance, spec.BitShift = true, shift
		g.varianceAt = pos
	case shift != 0 && spec.BitShift != shift:
		c.errorf(pos, "@variance of %q with bit shift %d, but with %d at %s; it can have only one", g.decl.Name, shift, spec.BitShift, g.varianceAt)
	}
}

// useHist returns g's histogram with the parameters of h, which is used at pos.
func (c *checker) useHist(g *global, h *program.Hist, pos syntax.Pos) *program.Hist {
	spec := g.spec()
	for _, have := range spec.Hists {
		if *have == *h {
			return have
		}
	}
	if c.opts.AsStap && len(spec.Hists) == 1 {
		c.errorf(pos, "%q has multiple histogram types", g.decl.Name).InStap("multiple histogram types declared on '__global_%s'", g.decl.Name).Hint = "called as gostap, it may have them"
	}
	spec.Hists = append(spec.Hists, h)
	return h
}
