// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"slices"
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/symbols"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// functionVars are the target variables at a kernel function's entry or return,
// from BTF; or at a tracepoint, which calls functions too. Without a function
// they are those that need no place: @cast and the like.
type functionVars struct {
	target *Target
	module *openModule         // that the function is in; nil for the kernel itself
	name   string              // the function's; "" for none
	trace  *symbols.Tracepoint // the tracepoint's, instead of a function
	ret    bool                // at its return
	bare   bool                // kprobe.function: no variables
	twins  int                 // how many other functions have the name

	nowhere string // why there is no function: "here, but only …"

	addr      uint64         // the probed address, as linked
	statement bool           // it is inside instance: only debuginfo knows the variables
	start     bool           // it is the instance's first instruction all the same
	instance  dwarf.Instance // the function, or its inlined copy
	image     *image         // that has the instance
	sought    bool           // source has been looked for
	source    *sourceScope

	warn  func(at syntax.Pos, msg string)
	found bool // proto has been looked for
	proto *btf.Proto

	given map[syntax.Expr]program.Expr // what is not the script's own
	entry map[syntax.Expr]bool         // stands inside @entry
	saved []program.Expr
	slots map[string]int // in saved, by what it is in the script
}

// types returns what is known of the kernel's types, or of the module's.
func (v *functionVars) types() (*btf.Spec, error) {
	if v.module != nil {
		return v.module.types()
	}
	return v.target.types()
}

func (v *functionVars) moduleName() string {
	if v.module == nil {
		return ""
	}
	return v.module.Name
}

// lookUp finds the function's prototype.
func (v *functionVars) lookUp() *btf.Proto {
	if v.found || v.bare || v.name == "" || v.statement {
		return v.proto
	}
	v.found = true
	types, err := v.types()
	if err != nil {
		return nil
	}
	if v.trace != nil {
		v.proto = traceProto(types, v.trace.Name)
		return v.proto
	}
	for _, id := range types.Find(v.name, btf.Function) {
		p, ok := types.Proto(id)
		if ok && v.proto != nil && v.proto.ID != p.ID {
			v.proto = nil // two functions of this name differ: which is meant can't be told
			break
		}
		if ok {
			v.proto = p
		}
	}
	return v.proto
}

// Known reports whether anything is known of the variables for certain.
func (v *functionVars) Known() bool {
	return v.bare || v.lookUp() != nil && v.twins == 0 || v.scope() != nil
}

// Key tells prototypes apart.
func (v *functionVars) Key() string {
	if v.given != nil {
		return fmt.Sprintf("%p", v)
	}
	event := ""
	if v.trace != nil {
		event = v.trace.String()
	}
	if p := v.lookUp(); p != nil && v.twins == 0 {
		return fmt.Sprintf("%s %d %t %s", v.moduleName(), p.ID, v.ret, event)
	}
	if s := v.scope(); s != nil {
		return fmt.Sprintf("at %s %#x %d %t", s.module, v.addr, s.Die, v.ret)
	}
	return fmt.Sprintf("unknown %t %t %s", v.bare, v.ret, event)
}

// List spells the parameters, and the result at a return.
func (v *functionVars) List() []string {
	p := v.lookUp()
	if p == nil {
		return v.sourceList()
	}
	types, err := v.types()
	if err != nil {
		return nil
	}
	var list []string
	if v.ret && types.Strip(p.Result) != 0 {
		list = append(list, "$return:"+types.String(p.Result))
	}
	for _, param := range p.Params {
		if param.Name != "" {
			list = append(list, "$"+param.Name+":"+types.String(param.Type))
		}
	}
	return list
}

// Saved returns what is to be saved at the function's entry.
func (v *functionVars) Saved() []program.Expr { return v.saved }

// Exists reports whether x has a value.
func (v *functionVars) Exists(x syntax.Expr) bool {
	trial := *v
	trial.saved, trial.slots = nil, nil
	return trial.Resolve(x, map[syntax.Expr]*program.Value{}).Err == nil
}

// Resolve returns what x is.
func (v *functionVars) Resolve(x syntax.Expr, made map[syntax.Expr]*program.Value) *program.Value {
	switch x := x.(type) {
	case *syntax.AtExpr:
		return v.operator(x)
	case *syntax.TargetVar:
		if is, ok := v.given[x]; ok {
			return &program.Value{X: is}
		}
		types, err := v.types()
		if err != nil {
			return failed(x.At, v.target.complain(x.At, err))
		}
		r := &resolution{vars: v, types: types, x: x, made: made, atEntry: v.entry[x]}
		if v.ret && !r.atEntry && x.Kind != syntax.AtCast && x.Kind != syntax.AutoCast && x.Name != "return" && x.Name != "$return" {
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

// operator resolves the @operators that are about the probed place.
func (v *functionVars) operator(x *syntax.AtExpr) *program.Value {
	switch x.Op {
	case "entry":
		if !v.ret {
			return refused(x.At, "@entry is what was so at a function's entry: it stands only in return probes")
		}
		if len(x.Args) != 1 {
			return refused(x.At, "@entry takes one expression")
		}
		if v.entry == nil {
			v.entry = map[syntax.Expr]bool{}
		}
		syntax.Inspect(x.Args[0], func(n syntax.Node) bool {
			v.entry[n.(syntax.Expr)] = true
			return true
		})
		return &program.Value{X: v.save(x.At, "@"+syntax.ExprString(x.Args[0]), &program.Operand{X: x.Args[0]}, program.Unknown)}
	case "enum":
		return v.enum(x)
	case "enumname":
		return v.enumName(x)
	}
	return refused(x.At, "@%s is not known", x.Op)
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

// save has x evaluated at the function's entry; key is the same for what is
// the same.
func (v *functionVars) save(at syntax.Pos, key string, x program.Expr, kind program.Type) program.Expr {
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

// A resolution finds the value of one target variable.
type resolution struct {
	vars    *functionVars
	types   *btf.Spec
	x       *syntax.TargetVar
	made    map[syntax.Expr]*program.Value
	atEntry bool // though the probe is at the return
	summary bool // of many variables: nothing is to be probed for one of them
}

// saved resolves a parameter in a return probe: it is what it was at entry.
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
		X:     r.vars.save(r.x.At, syntax.ExprString(r.x), value.X, kind),
		Fixed: "in a return probe a parameter is what it was at the function's entry",
	}
}

// fixed says why what is at l can't be changed, if it can't.
func (r *resolution) fixed(l *location) string {
	switch {
	case r.vars.trace != nil && l.addr == nil:
		return "a tracepoint's arguments can't, only what they point to"
	case l.bits != 0:
		return "it is a bit field in a register"
	}
	return ""
}

func (r *resolution) value() *program.Value {
	if strings.HasPrefix(r.x.Name, "$") && r.x.Kind == syntax.DollarVar {
		return r.all()
	}
	if n, ok := r.enumerator(); ok {
		return &program.Value{X: &program.Number{At: r.x.At, Value: n}, Fixed: "it is a constant of an enumeration"}
	}
	l, d := r.start()
	if d != nil {
		return failed(r.x.At, d)
	}
	if r.x.Kind == syntax.AtCast && len(r.x.Access) == 0 && r.x.Pretty == 0 {
		return &program.Value{X: l.addr} // typed, but as it was
	}
	for i, a := range r.x.Access {
		if i == 0 && a.Index != nil && r.x.Kind == syntax.AtCast {
			l, d = l.element(a) // of what it points to
		} else {
			l, d = l.access(a)
		}
		if d != nil {
			return failed(r.x.At, d)
		}
	}
	switch {
	case r.x.Pretty > 0:
		return r.pretty(l, r.x.Pretty)
	case r.x.Addr:
		x, d := l.address()
		return &program.Value{X: x, Err: d}
	}
	x, d := l.value()
	if d != nil {
		return failed(r.x.At, d)
	}
	return &program.Value{X: x, Store: l.place(x), Fixed: r.fixed(l)}
}

// start returns the location of what the chain begins with.
func (r *resolution) start() (*location, *syntax.Diagnostic) {
	switch r.x.Kind {
	case syntax.AtCast:
		return r.cast()
	case syntax.AutoCast:
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: "what this points to is not known",
			Hint: fmt.Sprintf(`say it: @cast(%s, "struct name")->member`, syntax.ExprString(r.x.X))}
	case syntax.AtVar:
		if strings.Contains(r.x.Name, "@") || r.x.Module != "" || !r.isLocal(r.x.Name) {
			return r.global()
		}
	}
	if r.x.Name == "return" && !r.atEntry {
		return r.result()
	}
	if s := r.vars.exact(); s != nil {
		return r.sourceVariable(s, r.x.Name)
	}
	p, d := r.prototype("$" + r.x.Name)
	if d != nil {
		return nil, d
	}
	for i, param := range p.Params {
		if param.Name == r.x.Name {
			return r.param(p, i), nil
		}
	}
	if s := r.vars.scope(); s != nil {
		return r.sourceVariable(s, r.x.Name)
	}
	return nil, r.unknown(p)
}

// isLocal says whether the probed place has a parameter or local variable of that name.
func (r *resolution) isLocal(name string) bool {
	if p := r.vars.lookUp(); p != nil && slices.ContainsFunc(p.Params, func(param btf.Param) bool { return param.Name == name }) {
		return true
	}
	s := r.vars.scope()
	return s != nil && slices.ContainsFunc(s.Variables(), func(v *dwarf.Variable) bool { return v.Name == name })
}

// enumerator returns the constant of an enumeration that $NAME is, where no
// variable is called so.
func (r *resolution) enumerator() (int64, bool) {
	if r.x.Kind != syntax.DollarVar || len(r.x.Access) > 0 || r.x.Addr || r.x.Pretty > 0 || r.x.Name == "return" || r.isLocal(r.x.Name) {
		return 0, false
	}
	return r.types.Enumerator(r.x.Name)
}

// param returns where the i-th parameter is.
func (r *resolution) param(p *btf.Proto, i int) *location {
	if r.vars.trace != nil {
		return traceLocation(r.types, p, i, r.x.At)
	}
	return paramLocation(r.types, p, i, r.x.At)
}

// place spells the probe point at the function's entry.
func (v *functionVars) place() string {
	if v.module != nil {
		return fmt.Sprintf("module(%q).function(%q)", v.module.Name, v.name)
	}
	return fmt.Sprintf("kernel.function(%q)", v.name)
}

// exact returns what debuginfo says where BTF does not do: inside a function, and
// where it has nothing of the function for certain. Else it returns nil.
func (v *functionVars) exact() *sourceScope {
	if p := v.lookUp(); p != nil && v.twins == 0 {
		return nil
	}
	return v.scope()
}

// prototype returns the function's prototype, which what needs.
func (r *resolution) prototype(what string) (*btf.Proto, *syntax.Diagnostic) {
	v := r.vars
	if v.name == "" {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("%s: there are no target variables %s", what, v.nowhere)}
	}
	if v.bare {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("%s: kprobe probes have no target variables", what),
			Hint: fmt.Sprintf("%s has them", v.place())}
	}
	p := v.lookUp()
	switch {
	case p == nil && v.trace != nil:
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("%s: BTF does not describe the tracepoint %s", what, v.trace)}
	case p != nil:
		if v.twins > 0 {
			v.warn(r.x.At, fmt.Sprintf("there are %d functions %s, and BTF describes one of them: the others' variables may be wrong", v.twins+1, v.name))
		}
		return p, nil
	}
	return nil, r.undescribed(what)
}

// result returns the location of $return.
func (r *resolution) result() (*location, *syntax.Diagnostic) {
	types := btf.Table(r.types)
	var p *btf.Proto
	if s := r.vars.exact(); s != nil {
		types, p = s.info.Types(), &btf.Proto{Result: s.Result()}
	} else {
		var d *syntax.Diagnostic
		if p, d = r.prototype("$return"); d != nil {
			return nil, d
		}
	}
	if r.vars.trace != nil {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: "$return: a tracepoint returns nothing"}
	}
	if !r.vars.ret {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: "$return: the function has only begun here",
			Hint: r.vars.place() + ".return has it"}
	}
	if types.Strip(p.Result) == 0 {
		return nil, &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("$return: %s returns nothing", r.vars.name)}
	}
	l := resultLocation(types, p, r.x.At)
	l.full = r.types
	return l, nil
}
