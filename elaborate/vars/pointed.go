// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"

	"gostap/elaborate/btf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Pointed is the C type of what a number of the script's points to, and where that is.
type Pointed struct {
	types btf.Table
	full  btf.Named // has what types only declares; may be nil
	typ   btf.ID
	user  bool
}

// String is the type as C spells it. Types that are called the same are taken for the same.
func (p *Pointed) String() string {
	if p.user {
		return p.types.String(p.typ) + " of a program"
	}
	return p.types.String(p.typ)
}

// pointed says what the number that l's value is points to, nil if it is no address.
func (l *location) pointed() *Pointed {
	to := &Pointed{types: l.types, full: l.full, user: l.user}
	switch t := l.real(); l.types.Kind(t) {
	case btf.Pointer:
		to.typ = l.types.Target(t)
		to.user = l.user || l.pointsToUser()
	case btf.Array:
		to.typ = l.types.Target(t)
	case btf.Struct, btf.Union:
		to.typ = l.typ
	default:
		return nil
	}
	return to
}

// addressed says what l's address points to.
func (l *location) addressed() *Pointed {
	return &Pointed{types: l.types, full: l.full, typ: l.typ, user: l.user}
}

// autoCast returns the location that an expression of the script points to: the type
// has come with what was assigned to it.
func (r *resolution) autoCast() (*location, *syntax.Diagnostic) {
	what := syntax.ExprString(r.x.X)
	to, why := r.env.PointedBy(r.x.X)
	if to == nil {
		d := &syntax.Diagnostic{Pos: r.x.At, Msg: "what this points to is not known",
			Hint: fmt.Sprintf(`say it: @cast(%s, "struct name")->member`, what)}
		if why != "" {
			d.Msg += ": " + why
		}
		return nil, d
	}
	if r.x.Addr && len(r.x.Access) == 0 {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: what + " is a variable of the script: it has no address"}
	}
	return &location{types: to.types, full: to.full, at: r.x.At, what: what, typ: to.typ, addr: &program.ScriptExpr{X: r.x.X}, user: to.user}, nil
}
