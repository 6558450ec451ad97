// SPDX-License-Identifier: GPL-2.0-or-later

package probepoint

import (
	"fmt"
	"strings"

	"gostap/translator/syntax"
)

// A Point is a probe point with access to its components by name.
type Point struct {
	*syntax.ProbePoint
}

// component returns the component of that name, nil if there is none.
func (p Point) component(name string) *syntax.Component {
	for _, c := range p.Components {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Root is the name of the first component.
func (p Point) Root() string { return p.Components[0].Name }

// Has reports whether the component name was written.
func (p Point) Has(name string) bool { return p.component(name) != nil }

// Argument returns the argument in name(…), nil if there is none.
func (p Point) Argument(name string) syntax.Expr {
	if c := p.component(name); c != nil {
		return c.Arg
	}
	return nil
}

// Number returns the number in name(number), or otherwise if there is no such component or no number in it.
func (p Point) Number(name string, otherwise int64) int64 {
	if c := p.component(name); c != nil {
		if n, ok := c.Arg.(*syntax.NumberLit); ok {
			return n.Value
		}
	}
	return otherwise
}

// Text returns the string in name("string").
func (p Point) Text(name string) string {
	if c := p.component(name); c != nil {
		if t, ok := c.Arg.(*syntax.StringLit); ok {
			return t.Value
		}
	}
	return ""
}

// Errorf is an error at the probe point.
func (p Point) Errorf(format string, args ...any) *syntax.Diagnostic {
	return syntax.Errorf(p.At, format, args...)
}

// InFunctions reports whether the probe point is for labels or callees in functions.
func (p Point) InFunctions() bool { return p.Has("label") || p.Has("callee") || p.Has("callees") }

// Functions returns the probe point's pattern of functions, "" for none: NAME@FILE.
func (p Point) Functions() string { return p.Text("function") + p.Text("statement") }

// Inner spells the probe point without its first component: function("vfs_read").callees.
func (p Point) Inner() string {
	return Spell(&syntax.ProbePoint{Components: p.Components[1:]})
}

// Names joins the names of components: kernel.function.return.
func Names(components []*syntax.Component) string {
	names := make([]string, len(components))
	for i, c := range components {
		names[i] = c.Name
	}
	return strings.Join(names, ".")
}

// Spell writes a probe point as scripts do.
func Spell(pt *syntax.ProbePoint) string {
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

// SpellAll writes a list of probe points as scripts do.
func SpellAll(points []*syntax.ProbePoint) string {
	var list []string
	for _, pt := range points {
		list = append(list, Spell(pt))
	}
	return strings.Join(list, ", ")
}

// In spells the first component of points in a module, or in the kernel itself if that is "".
func In(module string) string {
	if module == "" {
		return "kernel"
	}
	return fmt.Sprintf("module(%q)", module)
}
