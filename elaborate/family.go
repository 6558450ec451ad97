// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"sort"
	"strings"

	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// A Place is one point at which a probe is to run.
type Place struct {
	Point  *program.Point
	Before *syntax.Block // runs before all else there, nil for nothing
	Vars   Resolver      // what target variables are there; nil: none
	After  *syntax.Block // runs after all else there, nil for nothing
	Wild   bool          // one of many that a wildcard stands for
}

// A Resolver knows the target variables at a place.
type Resolver interface {
	// Key is the same for two places at which all target variables have the
	// same values, as far as expressions go.
	Key() string
	// List spells the target variables with their types: "$count:size_t".
	List() []string
	// Known is false if none of the target variables have values.
	Known() bool
	// Exists reports whether x has a value: Resolve would set no Err.
	Exists(x syntax.Expr) bool
	// Resolve returns what x, a *syntax.TargetVar or *syntax.AtExpr other than
	// @defined and @probewrite, is there. Expressions inside x are left as
	// program.Operand, and come to Resolve after x. Operands that are not in the
	// script may hold target variables that are not either; their values go to made.
	Resolve(x syntax.Expr, made map[syntax.Expr]*program.Value) *program.Value
	// Saved lists the values to be saved at function entry that the values
	// resolved until now refer to by program.SavedValue.
	Saved() []program.Expr
}

// A builder finds the places that a probe point of its family stands for. A
// probe point that is well written and stands for none is an error.
type builder func(s *session, m match) ([]*Place, *syntax.Diagnostic)

// A match is a probe point that fits a family's pattern.
type match struct {
	point *syntax.ProbePoint
}

// component returns the component of that name, nil if there is none.
func (m match) component(name string) *syntax.Component {
	for _, c := range m.point.Components {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// has reports whether the component name was written.
func (m match) has(name string) bool { return m.component(name) != nil }

// number returns the number in name(number), or otherwise if there is no such component or no number in it.
func (m match) number(name string, otherwise int64) int64 {
	if c := m.component(name); c != nil {
		if n, ok := c.Arg.(*syntax.NumberLit); ok {
			return n.Value
		}
	}
	return otherwise
}

// text returns the string in name("string").
func (m match) text(name string) string {
	if c := m.component(name); c != nil {
		if t, ok := c.Arg.(*syntax.StringLit); ok {
			return t.Value
		}
	}
	return ""
}

// at is where the probe point is written.
func (m match) at() syntax.Pos { return m.point.At }

// errorf is an error at the probe point.
func (m match) errorf(format string, args ...any) *syntax.Diagnostic {
	return errorAt(m.at(), format, args...)
}

func errorAt(at syntax.Pos, format string, args ...any) *syntax.Diagnostic {
	return &syntax.Diagnostic{Pos: at, Msg: fmt.Sprintf(format, args...)}
}

// families is the tree of all patterns, a level for each component.
var families = &level{next: map[component]*level{}}

type level struct {
	next  map[component]*level
	build builder // nil if a probe point can't end here
}

// component is a component as patterns have it.
type component struct {
	name string
	arg  string // "", "number" or "string"
}

// String is the component as patterns spell it: name(number).
func (c component) String() string {
	if c.arg == "" {
		return c.name
	}
	return c.name + "(" + c.arg + ")"
}

// register adds a family's patterns, each like `timer.s(number).randomize(number)`.
// It is called from the init functions of the families' files.
func register(build builder, patterns ...string) {
	for _, p := range patterns {
		at := families
		for _, part := range strings.Split(p, ".") {
			name, arg, _ := strings.Cut(strings.TrimSuffix(part, ")"), "(")
			c := component{name, arg}
			if at.next[c] == nil {
				at.next[c] = &level{next: map[component]*level{}}
			}
			at = at.next[c]
		}
		at.build = build
	}
}

// family finds the builder for a probe point.
func family(pt *syntax.ProbePoint) (builder, *syntax.Diagnostic) {
	at := families
	for i, c := range pt.Components {
		key := component{name: c.Name}
		switch c.Arg.(type) {
		case *syntax.NumberLit:
			key.arg = "number"
		case *syntax.StringLit:
			key.arg = "string"
		}
		next := at.next[key]
		if next == nil {
			return nil, at.unknown(pt, i, key)
		}
		at = next
	}
	if at.build == nil {
		last := pt.Components[len(pt.Components)-1]
		return nil, &syntax.Diagnostic{Pos: last.At,
			Msg:  fmt.Sprintf("probe point %s is not complete", spell(pt)),
			Hint: "it may go on with " + strings.Join(at.choices(), ", ")}
	}
	return at.build, nil
}

// unknown is the error for component i of pt, which is none of at's.
func (at *level) unknown(pt *syntax.ProbePoint, i int, key component) *syntax.Diagnostic {
	d := &syntax.Diagnostic{Pos: pt.Components[i].At}
	var names, forms []string
	for c := range at.next {
		names = append(names, c.name)
		if c.name == key.name {
			forms = append(forms, c.String())
		}
	}
	sort.Strings(forms)
	if len(forms) > 0 {
		d.Msg = fmt.Sprintf("probe point component %s is written %s here", key, strings.Join(forms, " or "))
		return d
	}
	if i == 0 {
		d.Msg = fmt.Sprintf("no probe point or alias begins with %q", key.name)
	} else {
		d.Msg = fmt.Sprintf("%q can't follow %s in a probe point", key.name, spell(&syntax.ProbePoint{Components: pt.Components[:i]}))
	}
	d.Hint = suggest.Hint(key.name, names)
	if d.Hint == "" && len(at.next) > 0 {
		d.Hint = "what can stand here: " + strings.Join(at.choices(), ", ")
	}
	return d
}

func (at *level) choices() []string {
	var list []string
	for c := range at.next {
		list = append(list, c.String())
	}
	sort.Strings(list)
	return list
}

// spell writes a probe point as scripts do.
func spell(pt *syntax.ProbePoint) string {
	var b strings.Builder
	for i, c := range pt.Components {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(c.Name)
		switch arg := c.Arg.(type) {
		case *syntax.NumberLit:
			if arg.Value < -1<<16 { // an address
				fmt.Fprintf(&b, "(%#x)", uint64(arg.Value))
			} else {
				fmt.Fprintf(&b, "(%d)", arg.Value)
			}
		case *syntax.StringLit:
			fmt.Fprintf(&b, "(%q)", arg.Value)
		}
	}
	return b.String()
}
