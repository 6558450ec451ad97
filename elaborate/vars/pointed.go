// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"

	"gostap/elaborate/btf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Pointed is the C type that a number of the script points to, and the address space.
type Pointed struct {
	types btf.Table
	full  btf.Named // has complete types for declarations in types; may be nil
	typ   btf.ID
	user  bool
}

// String is the type as C spells it. Types with the same name count as the same.
func (p *Pointed) String() string {
	if p.user {
		return p.types.String(p.typ) + " of a program"
	}
	return p.types.String(p.typ)
}

// pointed returns the type that l's value points to, nil if it is no address.
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

// addressed returns the type at l's address.
func (l *location) addressed() *Pointed {
	return &Pointed{types: l.types, full: l.full, typ: l.typ, user: l.user}
}

// autoCast returns the location that an expression of the script points to, with the type
// that has been inferred from assignments.
func (r *resolution) autoCast() (*location, *syntax.Diagnostic) {
	what := syntax.ExprString(r.x.X)
	to, why := r.env.PointedBy(r.x.X)
	if to == nil {
		d := syntax.Errorf(r.x.At, "what this points to is not known").InStap("unknown type in dereference")
		d.Hint = fmt.Sprintf(`say it: @cast(%s, "struct name")->member`, what)
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
