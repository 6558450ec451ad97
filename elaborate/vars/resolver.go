// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"slices"

	"gostap/elaborate/image"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Env is shared by all sites of one elaboration.
type Env struct {
	Target  *image.Target
	Entries EntryValues
	// PointedBy returns the type that an expression of the script points to; nil and the reason if it is not known.
	PointedBy func(syntax.Expr) (*Pointed, string)
}

// A Resolver resolves the target variables at a site.
type Resolver struct {
	env   *Env
	site  site
	given map[syntax.Expr]program.Expr // values of synthesized expressions

	atReturn bool
	entry    map[syntax.Expr]bool // those inside @entry
	saved    []program.Expr
	slots    map[string]int // indexes in saved, by the key of the expression
}

// Return returns the Resolver for the function's return.
func (v *Resolver) Return() *Resolver {
	v.atReturn = true
	return v
}

// Give adds the values of synthesized expressions.
func (v *Resolver) Give(values map[syntax.Expr]program.Expr) { v.given = values }

// Known is false if none of the target variables have values.
func (v *Resolver) Known() bool {
	_, certain := v.site.prototype()
	return certain || v.site.scope() != nil || v.site.without()
}

// Saved lists the values to be saved at function entry that the values
// resolved until now refer to by program.SavedValue.
func (v *Resolver) Saved() []program.Expr { return v.saved }

// Exists reports whether x has a value: Resolve would set no Err.
func (v *Resolver) Exists(x syntax.Expr) bool {
	trial := *v
	trial.saved, trial.slots = nil, nil
	return trial.Resolve(x, map[syntax.Expr]*program.Value{}).Err == nil
}

// Resolve returns what x, a *syntax.TargetVar or *syntax.AtExpr other than
// @defined and @probewrite, is. Expressions inside x are left as
// program.ScriptExpr, and resolved after x. Synthesized operands may contain
// synthesized target variables; their values go to made.
func (v *Resolver) Resolve(x syntax.Expr, made map[syntax.Expr]*program.Value) *program.Value {
	switch x := x.(type) {
	case *syntax.AtExpr:
		return v.operator(x)
	case *syntax.TargetVar:
		if is, ok := v.given[x]; ok {
			return &program.Value{X: is}
		}
		types, err := v.site.types()
		if err != nil {
			return failed(x.At, v.env.Target.Complain(x.At, err))
		}
		r := &resolution{Resolver: v, types: types, x: x, made: made, atEntry: v.entry[x]}
		if v.atReturn && !r.atEntry && x.Kind != syntax.AtCast && x.Kind != syntax.AutoCast && x.Name != "return" && x.Name != "$return" && !v.isResult(x.Name) {
			return r.saved()
		}
		return r.value()
	}
	return failed(x.Pos(), nil)
}

func failed(pos syntax.Pos, d *syntax.Diagnostic) *program.Value {
	if d == nil {
		d = &syntax.Diagnostic{Pos: pos, Msg: "this can't be used here"}
	}
	return &program.Value{Err: d}
}

// Refused is the value of an expression that can't be evaluated.
func Refused(at syntax.Pos, format string, args ...any) *program.Value {
	return &program.Value{Err: syntax.Errorf(at, format, args...)}
}

// operator resolves the @operators that depend on the probe site.
func (v *Resolver) operator(x *syntax.AtExpr) *program.Value {
	switch x.Op {
	case "entry":
		if !v.atReturn {
			return Refused(x.At, "@entry is what was so at a function's entry: it stands only in return probes")
		}
		if len(x.Args) != 1 {
			return Refused(x.At, "@entry takes one expression")
		}
		if v.entry == nil {
			v.entry = map[syntax.Expr]bool{}
		}
		syntax.Inspect(x.Args[0], func(n syntax.Node) bool {
			v.entry[n.(syntax.Expr)] = true
			return true
		})
		return &program.Value{X: v.save(x.At, "@"+syntax.ExprString(x.Args[0]), &program.ScriptExpr{X: x.Args[0]}, program.Unknown)}
	case "kregister", "uregister":
		return v.registerNumber(x)
	case "enum":
		return v.enum(x)
	case "enumname":
		return v.enumName(x)
	}
	return Refused(x.At, "@%s is not known", x.Op)
}

// save makes x evaluated at the function's entry; expressions with the same key
// are saved once.
func (v *Resolver) save(at syntax.Pos, key string, x program.Expr, kind program.Type) program.Expr {
	slot, ok := v.slots[key]
	if !ok {
		if v.slots == nil {
			v.slots = map[string]int{}
		}
		slot = len(v.saved)
		v.slots[key] = slot
		v.saved = append(v.saved, x)
	}
	return &program.SavedValue{At: at, Index: slot, Kind: kind}
}

// exact returns the scope by debuginfo if BTF does not suffice: inside a function, or
// if it has no certain prototype. Else it returns nil.
func (v *Resolver) exact() *scope {
	if _, certain := v.site.prototype(); certain {
		return nil
	}
	return v.site.scope()
}

// isLocal reports whether the probed site has a parameter or local variable of that name.
func (v *Resolver) isLocal(name string) bool {
	if p, _ := v.site.prototype(); p != nil && slices.ContainsFunc(p.Params, func(param param) bool { return param.Name == name }) {
		return true
	}
	s := v.site.scope()
	return s != nil && slices.ContainsFunc(s.Variables(), func(v *variable) bool { return v.Name == name })
}
