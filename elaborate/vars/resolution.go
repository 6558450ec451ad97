// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"
	"strings"

	"gostap/elaborate/btf"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// A resolution finds the value of one target variable.
type resolution struct {
	*Resolver
	types   btf.Named
	x       *syntax.TargetVar
	made    map[syntax.Expr]*program.Value
	atEntry bool // the value at entry is meant, though the probe is at the return
	summary bool // the variable is one of many: no second probe is added for it
}

// saved resolves a parameter in a return probe: its value is that of the entry.
func (r *resolution) saved() *program.Value {
	for _, a := range r.x.Access {
		if _, ok := constant(a.Index); a.Index != nil && !ok {
			return failed(a.At, &syntax.Diagnostic{Pos: a.At,
				Msg:  "in a return probe a parameter is what it was at the function's entry: its index must be a constant",
				Hint: fmt.Sprintf("save it in the function's entry probe, or write @entry(%s)", syntax.ExprString(r.x))})
		}
	}
	r.atEntry = true
	value := r.value()
	if _, constant := value.X.(*program.Number); constant || value.Err != nil {
		return value
	}
	kind := value.X.Type()
	return &program.Value{
		X:      r.save(r.x.At, syntax.ExprString(r.x), value.X, kind),
		Points: value.Points,
		Fixed:  "in a return probe a parameter is what it was at the function's entry",
	}
}

// fixed says why the value at l can't be changed, "" if it can.
func (r *resolution) fixed(l *location) string {
	switch {
	case r.tracepoint() != nil && l.addr == nil:
		return "a tracepoint's arguments can't, only what they point to"
	case l.types.Kind(l.real()) == btf.Float:
		return "of floating point, only a double in memory can"
	case l.bits != 0:
		return "it is a bit field in a register"
	}
	if _, ok := r.site.(*hook); ok {
		return "of a netfilter hook's variables only $" + verdict + " can"
	}
	return ""
}

func (r *resolution) value() *program.Value {
	if r.x.Kind == syntax.DollarVar {
		if v := r.listed(); v != nil {
			return v
		}
	}
	if strings.HasPrefix(r.x.Name, "$") && r.x.Kind == syntax.DollarVar {
		return r.all()
	}
	if n, ok := r.enumerator(); ok {
		return &program.Value{X: &program.Number{At: r.x.At, Value: n}, Fixed: "it is a constant of an enumeration"}
	}
	l, access, d := r.startOrResult()
	if d != nil {
		return failed(r.x.At, d)
	}
	if l == nil {
		return r.prettyResults()
	}
	if r.x.Kind == syntax.AtCast && len(r.x.Access) == 0 && r.x.Pretty == 0 {
		return value(l.addr, l.addressed()) // with another type only
	}
	if l, d = r.follow(l, access); d != nil {
		return failed(r.x.At, d)
	}
	if l.isReference() && (r.x.Pretty > 0 || r.x.Addr) {
		l, d = l.deref()
	} else {
		l, d = l.referred()
	}
	if d != nil {
		return failed(r.x.At, d)
	}
	switch {
	case r.x.Pretty > 0:
		return r.pretty(l, r.x.Pretty)
	case r.x.Addr:
		x, d := l.address()
		if d != nil {
			return failed(r.x.At, d)
		}
		return value(x, l.addressed())
	}
	if text := r.valueText(l); text != nil {
		return value(text, nil)
	}
	if d := r.whole(l); d != nil {
		return failed(r.x.At, d)
	}
	x, d := l.value()
	if d != nil {
		return failed(r.x.At, d)
	}
	v := value(r.double(l, x), l.pointed())
	v.Store, v.Fixed = l.lvalue(x), r.fixed(l)
	return v
}

// whole returns SystemTap's error for l if it is a struct or union that a script called as stap reads as
// a whole; gostap's own value of it is its address.
func (r *resolution) whole(l *location) *syntax.Diagnostic {
	kind := l.types.Kind(l.real())
	if !r.env.Target.AsStap || r.x.At.Source.Origin != syntax.User || kind != btf.Struct && kind != btf.Union {
		return nil
	}
	d := l.fail("%s is %s: a member of it is wanted, or its address", l.what, article(l.types.String(l.typ)))
	d.InStap("'%s' is being accessed instead of a member", l.types.String(l.real()))
	if names := l.types.MemberNames(l.real()); len(names) > 0 {
		d.InStap("%s such as '->%s'", d.Stap, names[0])
	}
	if n := len(r.x.Access); n > 0 {
		d.Pos = r.x.Access[n-1].At
	}
	return d
}

// follow applies the accesses of a chain to its first location.
func (r *resolution) follow(l *location, access []syntax.Access) (_ *location, d *syntax.Diagnostic) {
	for i, a := range access {
		if i == 0 && a.Index != nil && (r.x.Kind == syntax.AtCast || r.x.Kind == syntax.AutoCast) {
			l, d = l.element(a) // of the array that it points to
		} else if a.Index != nil {
			l, d = r.index(l, a)
		} else {
			l, d = l.member(a)
		}
		if d != nil {
			return nil, d
		}
	}
	return l, nil
}

// double returns x, the value of l, as the bits of a double, if it is a float or a long double.
func (r *resolution) double(l *location, x program.Expr) program.Expr {
	if l.isLongDouble() {
		exponent := &program.Deref{At: l.at, Addr: l.bytesOn(l.pos/8 + 8), Size: 2, User: l.user}
		return r.call("__fp80_to_fp64", x, exponent)
	}
	if l.types.Kind(l.real()) != btf.Float || l.types.Size(l.typ) != 4 {
		return x
	}
	return r.call("fp32_to_fp64", x)
}

// value returns the value x, which points to the type to, if to is not nil.
func value(x program.Expr, to *Pointed) *program.Value {
	v := &program.Value{X: x}
	if to != nil {
		v.Points = to
	}
	return v
}

// startOrResult returns the location that the chain begins with, and the rest of the chain. l is nil if it
// stands for all of several results.
func (r *resolution) startOrResult() (l *location, access []syntax.Access, d *syntax.Diagnostic) {
	if r.x.Kind == syntax.DollarVar && (r.x.Name == "return" || r.isResult(r.x.Name)) {
		if list, ok := r.goResults(); ok {
			return r.goResult(list)
		}
	}
	l, d = r.start()
	return l, r.x.Access, d
}

// start returns the location that the chain begins with.
func (r *resolution) start() (*location, *syntax.Diagnostic) {
	switch r.x.Kind {
	case syntax.AtCast:
		return r.cast()
	case syntax.AutoCast:
		return r.autoCast()
	case syntax.AtVar:
		if strings.Contains(r.x.Name, "@") || r.x.Module != "" || !r.isLocal(r.x.Name) {
			return r.global()
		}
	}
	if r.x.Name == "return" && !r.atEntry {
		return r.result()
	}
	if s := r.exact(); s != nil {
		return r.sourceVariable(s, r.x.Name)
	}
	p, d := r.prototype("$" + r.x.Name)
	if d != nil {
		return nil, d
	}
	for i, param := range p.Params {
		if param.Name == r.x.Name {
			return r.site.param(r.types, p, i, r.x.At), nil
		}
	}
	if l, d := r.syscallArgument(p); l != nil || d != nil {
		return l, d
	}
	if s := r.site.scope(); s != nil {
		return r.sourceVariable(s, r.x.Name)
	}
	return nil, r.unknown(p)
}

// enumerator returns the constant of an enumeration called NAME, for $NAME, if
// there is no such variable.
func (r *resolution) enumerator() (int64, bool) {
	if r.x.Kind != syntax.DollarVar || len(r.x.Access) > 0 || r.x.Addr || r.x.Pretty > 0 || r.x.Name == "return" || r.isLocal(r.x.Name) {
		return 0, false
	}
	return r.types.Enumerator(r.x.Name)
}

// prototype returns the site's prototype; what names, for the error, what needs it.
func (r *resolution) prototype(what string) (*btf.Proto, *syntax.Diagnostic) {
	p, _ := r.site.prototype()
	if p == nil {
		return nil, r.site.undescribed(r.x.At, what)
	}
	r.site.ambiguous(r.x.At)
	return p, nil
}

// result returns the location of $return.
func (r *resolution) result() (*location, *syntax.Diagnostic) {
	types, user := btf.Table(r.types), false
	var p *btf.Proto
	if s := r.exact(); s != nil {
		types, user, p = s.Info.Types(), s.User(), &btf.Proto{Result: s.Result()}
	} else {
		var d *syntax.Diagnostic
		if p, d = r.prototype("$return"); d != nil {
			return nil, d
		}
	}
	if r.tracepoint() != nil {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: "$return: a tracepoint returns nothing"}
	}
	if !r.atReturn {
		d := syntax.Errorf(r.x.At, "$return: the function has only begun here").
			InStap("unable to find local 'return', [man error::dwarf] in %s", r.site.String())
		d.Hint = r.site.entry() + ".return has it"
		return nil, d
	}
	if types.Strip(p.Result) == 0 {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("$return: %s returns nothing", r.site.String())}
	}
	l := resultLocation(types, p, r.x.At)
	l.full, l.user = r.types, user
	return l, nil
}

// unknown is the error for a variable that does not exist.
func (r *resolution) unknown(p *btf.Proto) *syntax.Diagnostic {
	var names, shown []string
	for _, param := range p.Params {
		if param.Name != "" {
			names = append(names, param.Name)
		}
	}
	for _, d := range r.declaredArguments() {
		if d.name != "" {
			names = append(names, d.name)
		}
	}
	if r.atReturn && r.types.Strip(p.Result) != 0 {
		names = append(names, "return")
	}
	for _, n := range names {
		shown = append(shown, "$"+n)
	}
	where := r.site.String()
	d := (&syntax.Diagnostic{Pos: r.x.At}).InStap("unable to find local '%s', [man error::dwarf] in %s%s", r.x.Name, where, alternatives("$", names))
	if len(names) == 0 {
		d.Msg = fmt.Sprintf("no $%s: %s has no parameters", r.x.Name, where)
	} else {
		d.Msg = fmt.Sprintf("no $%s: %s has %s", r.x.Name, where, strings.Join(shown, ", "))
	}
	if near := suggest.Nearest(r.x.Name, names, 1); len(near) > 0 {
		d.Hint = "did you mean $" + near[0] + "?"
	} else if r.x.Name == "wq_thread" { // workqueue.insert's
		d.Hint = "since Linux 2.6.36 workqueues share their threads: workqueue.execute has the one that does the work"
	} else if r.tracepoint() == nil {
		d.Hint = "local variables are known only from debuginfo: " + r.env.Target.InstallDebuginfo()
	}
	return d
}
