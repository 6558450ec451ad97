// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"
	"strconv"
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// Listed are the variables of a site that are neither a function's nor of the source:
// those of static marks and system calls.
type Listed struct {
	Title  string // as messages name the site: `the mark "setjmp"`
	Values []ListedValue
	Texts  map[string]string // $$name and the like, without the dollars
	// Source is the image of the site, for @var and @cast; nil if it has none or no debuginfo.
	Source *image.Source
	Addr   uint64 // in it, as linked
	// Undescribed is set if the image has debuginfo, but none of the site.
	Undescribed bool
	// Argument returns the n-th of arguments that are $arg1, $arg2 and so on, nil if it is not known; nil: there are none.
	Argument func(at syntax.Pos, n int) program.Expr
	// None makes the error for a variable if the site has none, with a hint; nil: the usual error.
	None func(at syntax.Pos, what string) *syntax.Diagnostic
}

// A ListedValue is one of a site's variables.
type ListedValue struct {
	Name string       // without the dollar
	X    program.Expr // its value; an lvalue if it can be assigned to
	Type string       // as -L shows it; "" for what Float says
	// Float is how many bytes of floating point X has the bits of: 4, 8, or 0 if it is an integer.
	Float int
	Err   string // why it has none, "" if it has
	// Assigned is whether it can only be assigned to, in any mode.
	Assigned bool
}

// A listed is the site of Listed.
type listed struct {
	nowhere
	Listed
}

// Listed returns a Resolver for a list of variables.
func (e *Env) Listed(l Listed) *Resolver {
	return &Resolver{env: e, site: &listed{nowhere{env: e}, l}}
}

func (l *listed) types() (btf.Named, error) {
	if l.Source != nil {
		return l.Source.Types()
	}
	return dwarf.NoTypes(), nil
}

func (l *listed) inProgram() bool { return true }
func (l *listed) without() bool   { return !l.Undescribed }
func (l *listed) String() string  { return l.Title }
func (l *listed) key() string     { return fmt.Sprintf("%p", l) }

func (l *listed) undescribed(at syntax.Pos, what string) *syntax.Diagnostic {
	if l.None != nil {
		return l.None(at, what)
	}
	d := &syntax.Diagnostic{Pos: at}
	var names, shown []string
	for _, v := range l.Values {
		names = append(names, "$"+v.Name)
	}
	for name := range l.Texts {
		shown = append(shown, "$$"+name)
	}
	switch {
	case len(names) == 0:
		d.Msg = fmt.Sprintf("no %s: %s has no variables", what, l.Title)
	default:
		d.Msg = fmt.Sprintf("no %s: %s has %s", what, l.Title, strings.Join(names, ", "))
		if near := suggest.Nearest(what, append(names, shown...), 1); len(near) > 0 {
			d.Hint = suggest.DidYouMean(near)
		}
	}
	return d
}

// variables lists those that have values.
func (l *listed) variables() (list []Variable) {
	for _, v := range l.Values {
		if v.Err == "" {
			kind := v.Type
			switch {
			case kind != "":
			case v.Float == 4:
				kind = "float"
			case v.Float == 8:
				kind = "double"
			default:
				kind = "long"
			}
			list = append(list, Variable{Name: v.Name, Type: kind, Param: true, Here: true})
		}
	}
	return list
}

// listed resolves a variable of a site with a list; nil for other sites.
func (r *resolution) listed() *program.Value {
	l, ok := r.site.(*listed)
	if !ok {
		return nil
	}
	what := "$" + r.x.Name
	if name, ok := strings.CutPrefix(r.x.Name, "$"); ok {
		if text, ok := l.Texts[name]; ok {
			return &program.Value{X: &program.Text{At: r.x.At, Value: text}}
		}
		switch name {
		case "vars", "parms", "args":
			return r.listedAll(l)
		case "locals", "return":
			return &program.Value{X: &program.Text{At: r.x.At}}
		}
		return failed(r.x.At, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("$$%s is not known at %s", name, l.Title), Hint: "there are $$vars and $$parms"})
	}
	for _, v := range l.withArgument(r.x) {
		if v.Name != r.x.Name {
			continue
		}
		switch {
		case v.Err != "":
			return failed(r.x.At, syntax.Errorf(r.x.At, "%s: %s", what, v.Err))
		case v.Assigned && len(r.x.Access) == 0 && r.x.Pretty == 0 && !r.x.Addr:
			return &program.Value{Store: v.X, Free: true, Err: syntax.Errorf(r.x.At, "%s has no value in %s: it can only be assigned to", what, l.Title)}
		case len(r.x.Access) > 0 || r.x.Pretty > 0:
			return failed(r.x.At, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("of what type %s is, %s does not tell", what, l.Title),
				Hint: fmt.Sprintf(`say it: @cast(%s, "struct name")->member, or user_string(%s)`, what, what)})
		case r.x.Addr:
			if in, ok := v.X.(*program.Deref); ok {
				return &program.Value{X: in.Addr}
			}
			return failed(r.x.At, syntax.Errorf(r.x.At, "%s is not in memory: it has no address", what))
		}
		value := &program.Value{X: r.listedNumber(v)}
		switch x := v.X.(type) {
		case *program.Deref:
			if v.Float != 4 {
				value.Store = x
			}
		case *program.Register, *program.Argument:
			if v.Float == 0 {
				value.Store = x
			}
		}
		return value
	}
	return failed(r.x.At, l.undescribed(r.x.At, what))
}

// withArgument returns the variables, and x if it is an argument by number.
func (l *Listed) withArgument(x *syntax.TargetVar) []ListedValue {
	digits, ok := strings.CutPrefix(x.Name, "arg")
	n, err := strconv.ParseUint(digits, 10, 5)
	if !ok || err != nil || n == 0 || l.Argument == nil {
		return l.Values
	}
	value := l.Argument(x.At, int(n))
	if value == nil {
		return l.Values
	}
	return []ListedValue{{Name: x.Name, X: value}}
}

// listedNumber returns a variable's value, floating point as the bits of a double.
func (r *resolution) listedNumber(v ListedValue) program.Expr {
	if v.Float == 4 {
		return r.call("fp32_to_fp64", v.X)
	}
	return v.X
}

// listedAll resolves $$vars.
func (r *resolution) listedAll(l *listed) *program.Value {
	p := &rendition{r: r, shown: new(int)}
	for i, v := range l.Values {
		if i > 0 {
			p.text(" ")
		}
		p.text(v.Name + "=")
		switch {
		case v.Err != "" || v.Assigned:
			p.text("?")
		case v.X.Type() == program.String:
			p.arg(`"%s"`, v.X)
		case v.Float != 0:
			p.arg("%s", r.call("fp_to_string", r.listedNumber(v), &program.Number{At: r.x.At, Value: floatDigits}))
		default:
			p.arg("%#x", v.X)
		}
	}
	return p.value(r.x.At)
}
