// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"fmt"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A tvar is the type of a variable, array key, parameter or result: Unknown until a use determines it.
// Those that must be equal are unified, and share the type of their root.
type tvar struct {
	up   *tvar
	rank int
	t    program.Type
	at   syntax.Pos // the use that determined t
	bad  bool       // an error about it has been reported

	name   string // of the variable, array or function
	decl   syntax.Pos
	key    int  // of the array: the key's number, from 1
	param  int  // of the function: the parameter's number, from 1
	result bool // of the function
}

func newVar(name string, decl syntax.Pos) *tvar { return &tvar{name: name, decl: decl} }

// String describes the variable, key, parameter or result.
func (v *tvar) String() string {
	switch {
	case v.key > 0:
		return fmt.Sprintf("key %d of %q", v.key, v.name)
	case v.param > 0:
		return fmt.Sprintf("argument %d of %q", v.param, v.name)
	case v.result:
		return fmt.Sprintf("the result of %q", v.name)
	}
	return fmt.Sprintf("%q", v.name)
}

func (v *tvar) root() *tvar {
	for v.up != nil {
		if v.up.up != nil {
			v.up = v.up.up
		}
		v = v.up
	}
	return v
}

func (v *tvar) set(t program.Type, at syntax.Pos) { v.t, v.at = t, at }

// A term is the type of an expression: a variable's, or a known one. The zero term is the type of an
// expression with an error, and agrees with every type.
type term struct {
	v *tvar
	t program.Type
}

var (
	longTerm   = term{t: program.Long}
	stringTerm = term{t: program.String}
)

// poison suppresses further errors about a term whose type is unknown because of an error.
func (a term) poison() {
	if a.v != nil {
		a.v.root().bad = true
	}
}

// unify makes want and have equal, or reports a conflict; have is the type of the expression at pos.
func (c *checker) unify(want, have term, pos syntax.Pos) {
	switch {
	case want == term{}:
		have.poison()
	case have == term{}:
		want.poison()
	case want.v == nil && have.v == nil:
		if want.t != have.t {
			c.errorf(pos, "type mismatch: %s where a %s is expected", have.t, want.t).InStap("type mismatch: expected %s but found %s", want.t, have.t)
		}
	case want.v == nil:
		c.settle(have.v, want.t, pos)
	case have.v == nil:
		c.settle(want.v, have.t, pos)
	default:
		c.join(want.v, have.v, pos)
	}
}

// settle gives v the type t, which the use at pos determines.
func (c *checker) settle(v *tvar, t program.Type, pos syntax.Pos) {
	r := v.root()
	switch {
	case r.bad || r.t == t:
	case r.t == program.Unknown:
		r.set(t, pos)
	default:
		r.bad = true
		c.errorf(pos, "type mismatch: %s where %s was %s; first used so at %s", t, v, r.t, r.at).InStap("type mismatch (%s)", t).
			Earlier = syntax.Errorf(r.at, "type was first inferred here (%s)", r.t)
	}
}

func (c *checker) join(want, have *tvar, pos syntax.Pos) {
	a, b := want.root(), have.root()
	if a == b {
		return
	}
	if a.t != b.t && a.t != program.Unknown && b.t != program.Unknown && !a.bad && !b.bad {
		a.bad, b.bad = true, true
		c.errorf(pos, "type mismatch: %s is %s (first used so at %s) where %s is %s (at %s)",
			have, b.t, b.at, want, a.t, a.at)
		return
	}
	if a.rank < b.rank {
		a, b = b, a
	}
	if a.rank == b.rank {
		a.rank++
	}
	b.up = a
	a.bad = a.bad || b.bad
	if a.t == program.Unknown {
		a.t, a.at = b.t, b.at
	}
}

// resolve returns v's type. An undetermined type is an error, reported once for all that are unified
// with it: by complain or, if that is nil, by a general message.
func (c *checker) resolve(v *tvar, complain func()) program.Type {
	r := v.root()
	if r.t != program.Unknown {
		return r.t
	}
	if r.bad {
		return program.Long
	}
	r.bad = true
	if complain != nil {
		complain()
	} else {
		c.errorf(v.decl, "can't tell the type of %s: nothing says whether it is a long or a string", v)
	}
	return program.Long
}
