// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"fmt"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/elaborate/symbols"
	"gostap/translator/syntax"
)

type (
	param    = btf.Param
	variable = dwarf.Variable
)

// A site is a probe site for the resolution of target variables: its parameters, variables and types.
type site interface {
	// types returns the types for casts and enumerations.
	types() (btf.Named, error)
	// prototype returns the parameters and the result by BTF, nil if they are not
	// known; certain is false if they may be those of another function of the name.
	prototype() (p *btf.Proto, certain bool)
	// scope returns the scope of the address by debuginfo, nil if there is none.
	scope() *scope
	// param returns the location of the i-th parameter of the prototype.
	param(types btf.Named, p *btf.Proto, i int, at syntax.Pos) *location
	// inProgram reports whether the site is in a program, and not in the kernel.
	inProgram() bool
	// without reports whether such sites never have variables.
	without() bool
	// ambiguous warns at a variable if the prototype may be another function's.
	ambiguous(at syntax.Pos)
	// undescribed is the error if there is no prototype, which what needs.
	undescribed(at syntax.Pos, what string) *syntax.Diagnostic
	// String names the site: its function or tracepoint.
	String() string
	// entry spells the probe point at the function's entry.
	entry() string
	// key is the same for sites at which all variables have the same values.
	key() string
}

// nowhere is the site of functions and conditions, which can use @cast and the like.
type nowhere struct {
	env    *Env
	reason string
}

// Nowhere returns a Resolver for code without a probe site. reason says, in errors, why there are no
// variables: "here, but only …".
func (e *Env) Nowhere(reason string) *Resolver {
	return &Resolver{env: e, site: &nowhere{e, reason}}
}

func (n *nowhere) types() (btf.Named, error)                              { return n.env.Target.Types() }
func (n *nowhere) prototype() (*btf.Proto, bool)                          { return nil, false }
func (n *nowhere) scope() *scope                                          { return nil }
func (n *nowhere) param(btf.Named, *btf.Proto, int, syntax.Pos) *location { return nil }
func (n *nowhere) inProgram() bool                                        { return false }
func (n *nowhere) without() bool                                          { return false }
func (n *nowhere) ambiguous(syntax.Pos)                                   {}
func (n *nowhere) String() string                                         { return "" }
func (n *nowhere) entry() string                                          { return "" }
func (n *nowhere) key() string                                            { return "nowhere" }

func (n *nowhere) undescribed(at syntax.Pos, what string) *syntax.Diagnostic {
	return syntax.Errorf(at, "%s: there are no target variables %s", what, n.reason).InStap("unresolved target-symbol expression")
}

// A kprobe is a site of kprobe.function, which has no variables.
type kprobe struct {
	nowhere
	point string // the probe point at the function's entry that has variables
}

// KProbe returns a Resolver for kprobe.function, which has no variables; point is the probe point that has.
func (e *Env) KProbe(point string) *Resolver {
	return &Resolver{env: e, site: &kprobe{nowhere{env: e}, point}}
}

func (k *kprobe) without() bool { return true }
func (k *kprobe) entry() string { return k.point }
func (k *kprobe) key() string   { return "kprobe" }

func (k *kprobe) undescribed(at syntax.Pos, what string) *syntax.Diagnostic {
	d := syntax.Errorf(at, "%s: kprobe probes have no target variables", what)
	d.Hint = fmt.Sprintf("%s has them", k.point)
	return d
}

// A Function is a function whose entry or return is probed.
type Function struct {
	Image     image.Image
	Name      string
	Addr      uint64 // as linked
	Namesakes int    // how many other functions have the name
	Warn      func(at syntax.Pos, msg string)
}

// A function is the site of a function's entry, by BTF or else by debuginfo.
type function struct {
	Function
	env      *Env
	proto    *btf.Proto
	searched bool // for proto
	source   *scope
	looked   bool // for source
}

// Function returns the variables at a function's entry.
func (e *Env) Function(f Function) *Resolver {
	return &Resolver{env: e, site: &function{Function: f, env: e}}
}

func (f *function) types() (btf.Named, error) { return f.Image.Types() }
func (f *function) inProgram() bool           { return f.Image.User() }
func (f *function) without() bool             { return false }
func (f *function) String() string            { return f.Name }

func (f *function) prototype() (*btf.Proto, bool) {
	if !f.searched {
		f.searched = true
		if f.proto = syscallPrototype(f.Image, f.Name); f.proto == nil {
			f.proto = onlyPrototype(f.Image, f.Name)
		}
	}
	return f.proto, f.proto != nil && f.Namesakes == 0
}

// onlyPrototype returns a function's prototype, nil if functions of its name differ.
func onlyPrototype(im image.Image, name string) (proto *btf.Proto) {
	types, err := im.Types()
	if err != nil {
		return nil
	}
	for _, id := range types.Find(name, btf.Function) {
		p, ok := types.Proto(id)
		if ok && proto != nil && proto.ID != p.ID {
			return nil
		}
		if ok {
			proto = p
		}
	}
	return proto
}

// syscallPrototype returns the prototype of a system call's wrapper, long name(const
// struct pt_regs *regs), nil for other functions. For weak wrappers, and if
// there are several of a name, BTF has none, or its parameter is called __unused.
func syscallPrototype(im image.Image, name string) *btf.Proto {
	if im.User() || im.Name() != "" || !machine.IsSyscallWrapper(name) {
		return nil
	}
	types, err := im.Types()
	if err != nil {
		return nil
	}
	for _, id := range types.Find("sys_call_ptr_t", btf.Typedef) {
		if p, ok := types.Proto(types.Target(types.Strip(id))); ok && len(p.Params) == 1 {
			return &btf.Proto{ID: p.ID, Params: []btf.Param{{Name: "regs", Type: p.Params[0].Type}}, Result: p.Result}
		}
	}
	return nil
}

func (f *function) scope() *scope {
	if f.looked || f.Image.User() {
		return f.source
	}
	f.looked = true
	info := f.Image.Debuginfo().Installed(nil)
	if info == nil {
		return nil
	}
	source := &image.Source{Image: f.Image, Info: info}
	if in, ok := source.Function(f.Name, f.Addr); ok {
		f.source = f.env.scope(source, in, in.Low, true)
	}
	return f.source
}

func (f *function) param(types btf.Named, p *btf.Proto, i int, at syntax.Pos) *location {
	return paramLocation(types, p, i, at)
}

func (f *function) ambiguous(at syntax.Pos) {
	if f.Namesakes > 0 {
		f.Warn(at, fmt.Sprintf("there are %d functions %s, and BTF describes one of them: the others' variables may be wrong", f.Namesakes+1, f.Name))
	}
}

func (f *function) entry() string { return EntryPoint(f.Image, f.Name) }

// EntryPoint spells the probe point at a function's entry.
func EntryPoint(im image.Image, name string) string {
	return fmt.Sprintf("%s.function(%q)", im.Component(), name)
}

func (f *function) key() string {
	if p, certain := f.prototype(); certain {
		return fmt.Sprintf("%s %d", f.Image.Name(), p.ID)
	}
	if s := f.scope(); s != nil {
		return s.key()
	}
	return "unknown"
}

// undescribed is the error for a function without a prototype in BTF, or without a
// certain one, if there is no debuginfo either.
func (f *function) undescribed(at syntax.Pos, what string) *syntax.Diagnostic {
	module := f.Image.Name()
	if module != "" && !f.Image.Typed() {
		return &syntax.Diagnostic{Pos: at, Msg: fmt.Sprintf("%s: the module %s has no BTF, which would tell what %s takes and returns", what, module, f.Name),
			Hint: "it was built without CONFIG_DEBUG_INFO_BTF_MODULES, or where no vmlinux was at hand; int_arg(1), pointer_arg(2) and so on read arguments by their numbers"}
	}
	if _, d := f.Image.Debuginfo().Need(at, fmt.Sprintf("%s: BTF does not describe %s; the list of its parameters", what, f.Name), nil); d != nil {
		return d
	}
	return syntax.Errorf(at, "%s: neither BTF nor the debuginfo describes %s", what, f.Name)
}

// A Statement is an instruction in a function or in an inlined copy.
type Statement struct {
	Source   *image.Source
	Instance dwarf.Instance
	Addr     uint64 // as linked
	Entry    bool   // it is the function's entry: all arguments are where they were passed
}

// A statement is the site of an instruction, whose variables are known only from debuginfo.
type statement struct {
	function
	instance dwarf.Instance
	from     *image.Source
	atEntry  bool
}

// Statement returns the variables at an instruction.
func (e *Env) Statement(s Statement, warn func(at syntax.Pos, msg string)) *Resolver {
	return &Resolver{env: e, site: &statement{
		function: function{Function: Function{Image: s.Source.Image, Name: s.Instance.Func.Name, Addr: s.Addr, Warn: warn}, env: e},
		instance: s.Instance,
		from:     s.Source,
		atEntry:  s.Entry,
	}}
}

func (s *statement) prototype() (*btf.Proto, bool) { return nil, false }

func (s *statement) scope() *scope {
	if !s.looked {
		s.looked = true
		s.source = s.env.scope(s.from, s.instance, s.Addr, s.atEntry || !s.instance.Inlined && s.Addr == s.instance.Low)
	}
	return s.source
}

func (s *statement) key() string {
	if found := s.scope(); found != nil {
		return found.key()
	}
	return "unknown"
}

// undescribed is the error if the scope can't be read.
func (s *statement) undescribed(at syntax.Pos, what string) *syntax.Diagnostic {
	return syntax.Errorf(at, "%s: the debuginfo of %s does not describe %s", what, s.from, s.Name)
}

// A tracepoint is the site where a tracepoint calls its probes.
type tracepoint struct {
	nowhere
	image    image.Image
	trace    *symbols.Tracepoint
	proto    *btf.Proto
	searched bool
}

// Tracepoint returns the variables of a tracepoint of an image.
func (e *Env) Tracepoint(im image.Image, t *symbols.Tracepoint) *Resolver {
	return &Resolver{env: e, site: &tracepoint{nowhere: nowhere{env: e}, image: im, trace: t}}
}

func (t *tracepoint) types() (btf.Named, error) { return t.image.Types() }
func (t *tracepoint) String() string            { return t.trace.String() }

func (t *tracepoint) prototype() (*btf.Proto, bool) {
	if !t.searched {
		t.searched = true
		if types, err := t.image.Types(); err == nil {
			t.proto = tracepointPrototype(types, t.trace.Name)
		}
	}
	return t.proto, t.proto != nil
}

// tracepointPrototype returns the prototype of a tracepoint's probes, nil if BTF has none.
// The kernel has functions with these parameters for each tracepoint:
// __traceiter_NAME, since Linux 5.10, and __probestub_NAME. The typedef
// btf_trace_NAME has no names: its parameters are arg1, arg2 and so on.
func tracepointPrototype(types btf.Named, name string) *btf.Proto {
	for _, prefix := range []string{"__traceiter_", "__probestub_"} {
		for _, id := range types.Find(prefix+name, btf.Function) {
			if p, ok := types.Proto(id); ok && len(p.Params) > 0 {
				return withoutData(p)
			}
		}
	}
	for _, id := range types.Find("btf_trace_"+name, btf.Typedef) {
		if p, ok := types.Proto(types.Target(types.Target(id))); ok && len(p.Params) > 0 {
			p = withoutData(p)
			for i := range p.Params {
				p.Params[i].Name = fmt.Sprintf("arg%d", i+1)
			}
			return p
		}
	}
	return nil
}

// withoutData drops the first parameter, which is the probe's own data.
func withoutData(p *btf.Proto) *btf.Proto {
	p.Params, p.Result = p.Params[1:], 0
	return p
}

// param returns the location of the i-th parameter of a tracepoint. The first
// register has the probe's own data, and the runtime's stack pointer is above
// the return address.
func (t *tracepoint) param(types btf.Named, p *btf.Proto, i int, at syntax.Pos) *location {
	l := argLocation(types, p, i, 1, 0, at)
	l.store = nil
	return l
}

func (t *tracepoint) key() string {
	if t.proto, _ = t.prototype(); t.proto == nil {
		return "unknown " + t.trace.String()
	}
	return fmt.Sprintf("%s %d %s", t.image.Name(), t.proto.ID, t.trace)
}

func (t *tracepoint) undescribed(at syntax.Pos, what string) *syntax.Diagnostic {
	return syntax.Errorf(at, "%s: BTF does not describe the tracepoint %s", what, t.trace)
}

// Key is the same for sites at which all target variables resolve to the same
// expressions.
func (v *Resolver) Key() string {
	if v.given != nil {
		return fmt.Sprintf("%p", v)
	}
	return fmt.Sprintf("%s %t", v.site.key(), v.atReturn)
}

// tracepoint returns the site if it is a tracepoint, else nil.
func (v *Resolver) tracepoint() *tracepoint {
	t, _ := v.site.(*tracepoint)
	return t
}

// Source returns the image of a site that needs debuginfo, nil for others.
func (v *Resolver) Source() *image.Source {
	switch p := v.site.(type) {
	case *statement:
		return p.from
	case *listed:
		return p.Source
	}
	return nil
}

// probedAddr is the address, as linked, of a site that Source has.
func (v *Resolver) probedAddr() uint64 {
	switch p := v.site.(type) {
	case *statement:
		return p.Addr
	case *listed:
		return p.Addr
	}
	return 0
}
