// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"cmp"
	"slices"

	"gostap/elaborate/btf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// enum resolves @enum("NAME"), the value of a constant of any enumeration.
func (v *Resolver) enum(x *syntax.AtExpr) *program.Value {
	name, ok := onlyText(x.Args)
	if !ok {
		return Refused(x.At, `@enum takes the name of a constant: @enum("NAME")`)
	}
	types, err := v.site.types()
	if err != nil {
		return failed(x.At, v.env.Target.Complain(x.At, err))
	}
	n, ok := types.Enumerator(name)
	if !ok {
		return Refused(x.At, "no enumeration of the kernel has a constant %s", name)
	}
	return &program.Value{X: &program.Number{At: x.At, Value: n}}
}

// enumName resolves @enumname("TYPE", VALUE), the name that the enumeration TYPE
// has for VALUE; for a value that has none it is the number in decimal.
func (v *Resolver) enumName(x *syntax.AtExpr) *program.Value {
	name, ok := onlyText(x.Args[:min(1, len(x.Args))])
	if !ok || len(x.Args) != 2 {
		return Refused(x.At, `@enumname takes an enumeration and a value: @enumname("pid_type", VALUE)`)
	}
	if what := changes(x.Args[1]); what != "" {
		return Refused(x.At, "@enumname looks at its value more than once: put %s into a variable first", what)
	}
	types, err := v.site.types()
	if err != nil {
		return failed(x.At, v.env.Target.Complain(x.At, err))
	}
	for _, id := range typesNamed(types, name) {
		if list := types.Enumerators(types.Strip(id)); len(list) > 0 {
			return &program.Value{X: nameOf(x.At, list, &program.ScriptExpr{X: x.Args[1]})}
		}
	}
	return Refused(x.At, "the kernel has no enumeration %q", name)
}

// nameOf chooses a name by binary search. Of several constants with one value
// the first is used.
func nameOf(at syntax.Pos, list []btf.Enumerator, value program.Expr) program.Expr {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b btf.Enumerator) int { return cmp.Compare(a.Value, b.Value) })
	list = slices.CompactFunc(list, func(a, b btf.Enumerator) bool { return a.Value == b.Value })
	number := &program.Print{At: at, Format: "%d", Args: []program.Expr{value}, Sprint: true}
	var pick func(list []btf.Enumerator) program.Expr
	pick = func(list []btf.Enumerator) program.Expr {
		half := list[len(list)/2]
		is := func(op string) program.Expr {
			return &program.Compare{At: at, Op: op, X: value, Y: &program.Number{At: at, Value: half.Value}}
		}
		if len(list) == 1 {
			return &program.Cond{At: at, If: is("=="), Then: &program.Text{At: at, Value: half.Name}, Else: number}
		}
		return &program.Cond{At: at, If: is("<"), Then: pick(list[:len(list)/2]), Else: pick(list[len(list)/2:])}
	}
	return pick(list)
}

func onlyText(args []syntax.Expr) (string, bool) {
	if len(args) != 1 {
		return "", false
	}
	t, ok := args[0].(*syntax.StringLit)
	if !ok {
		return "", false
	}
	return t.Value, true
}

// changes spells the part of an expression that has a side effect, "" if there is none.
func changes(x syntax.Expr) (what string) {
	syntax.Inspect(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignExpr:
			what = syntax.ExprString(n)
		case *syntax.IncDecExpr:
			what = syntax.ExprString(n)
		case *syntax.CallExpr:
			what = syntax.ExprString(n)
		case *syntax.EmbeddedExpr:
			what = syntax.ExprString(n)
		}
		return what == ""
	})
	return what
}
