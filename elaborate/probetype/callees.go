// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/probepoint"
	"gostap/internal/arch"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// The number of callees of callees is exponential: these bound their depth, and the sites
// of a probe point.
const (
	maxDepth   = 16
	maxCallees = 10000
)

var errCallees = errors.Errorf("there are more than %d callees: take a smaller depth", maxCallees)

// A caller is a function, or an inlined copy of one, whose callees are searched.
type caller struct {
	of      dwarf.Func // the function that the probe point names
	way     string     // .callee("NAME@FILE:LINE") for each on the way from there
	returns []uint64   // the return addresses of the caller's calls; none: any
	in      *caller    // the function that has called it
	code    dwarf.Instance
}

// callees adds the functions that an instance calls, with guards that they are called from
// there, and their callees, down to a depth. It returns the names of the functions that
// the instance calls itself.
func (p *pointFinder) callees(in dwarf.Instance, from *caller, depth int64) (names []string, err error) {
	m := p.maker.m
	want := "*"
	if m.Has("callee") {
		want = m.Text("callee")
	}
	wanted, err := probepoint.ParsePattern(want)
	if err != nil {
		return nil, err
	}
	list, err := p.image.Info.Calls(in)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		names = append(names, c.Name)
		f := c.Target.Func
		if !wanted.MatchesName(c.Name) || !wanted.MatchesFile(f.File) || c.Target.Inlined && (m.Has("call") || m.Has("return")) {
			continue
		}
		if c.Jumped {
			p.unknown++
		}
		if c.Returns == nil && !c.Target.Inlined {
			continue
		}
		way := from.way + fmt.Sprintf(`.callee("%s@%s:%d")`, f.Name, f.File, f.Line)
		to := &caller{from.of, way, c.Returns, from, in}
		if c.Target.Inlined {
			// An inlined copy shares the frame of the function around it.
			to.returns, to.in, to.code = from.returns, from.in, from.code
		}
		p.callee(c.Target, to)
		if len(p.sites) > maxCallees {
			return nil, errCallees
		}
		if depth > 1 {
			if _, err := p.callees(c.Target, to, depth-1); err != nil {
				return nil, err
			}
		}
	}
	return names, nil
}

// callee adds the entry of a callee, unless its caller can't be determined.
func (p *pointFinder) callee(in dwarf.Instance, to *caller) {
	g := &guard{finder: p, given: map[syntax.Expr]program.Expr{}, from: in.Low}
	if in.Inlined {
		g.from = in.Entry
	} else {
		g.atReturns = len(returns(p.image.Image, in.Low, in.High-in.Low)) > 0
	}
	var test syntax.Expr
	if len(to.returns) > 0 {
		slot := int64(0) // from sp to the return address
		if in.Inlined {
			frame, ok := p.frameSize(in, in.Entry)
			if !ok {
				p.unknown++
				return
			}
			slot = frame - arch.X86_64.ReturnAddress
		}
		if test = g.calledAs(to, slot, 1); test == nil {
			p.unknown++
			return
		}
	}
	before := len(p.sites)
	p.seen = map[uint64]bool{} // a function may have several callers
	p.instance(in)
	for _, site := range p.sites[before:] {
		site.Point.Name = p.name(to.of, to.way)
		if site.Vars != nil && test != nil {
			at := p.maker.m.At
			site.Vars.Give(g.given)
			site.Before = &syntax.Block{Stmts: []syntax.Stmt{&syntax.IfStmt{
				At: at, Cond: &syntax.UnaryExpr{At: at, Op: "!", X: test}, Then: &syntax.NextStmt{At: at}}}}
		}
	}
}

// A frameSize is the result of dwarf.Info.FrameSize for an address.
type frameSize struct {
	size  int64
	fixed bool
}

// frameSize caches dwarf.Info.FrameSize: the callees of a function have the same callers.
func (p *pointFinder) frameSize(in dwarf.Instance, pc uint64) (int64, bool) {
	f, known := p.frames[pc]
	if !known {
		f.size, f.fixed = p.image.Info.FrameSize(in, pc)
		p.frames[pc] = f
	}
	return f.size, f.fixed
}

// A guard is the condition for a callee's handler to run.
type guard struct {
	finder *pointFinder
	given  map[syntax.Expr]program.Expr // the values of its variables
	from   uint64                       // the callee's probed address, as linked

	atReturns bool // returns are probed at the instructions that return
}

// calledAs returns an expression that is true if a function has been called by c, and c by its own
// caller, and so on; slot is the distance from sp to the return address, and level that address's
// number in a backtrace. It is nil if that can't be determined, as frames have no fixed size.
func (g *guard) calledAs(c *caller, slot, level int64) syntax.Expr {
	if len(c.in.returns) == 0 {
		return g.returnsTo(c.returns, slot, level)
	}
	// The caller's own return address is above its frame.
	byFrame := map[int64][]uint64{}
	for _, addr := range c.returns {
		// The instruction behind the call may belong to another function.
		if frame, ok := g.finder.frameSize(c.code, addr-1); ok {
			byFrame[frame] = append(byFrame[frame], addr)
		}
	}
	var any syntax.Expr
	for _, frame := range slices.Sorted(maps.Keys(byFrame)) {
		here, above := g.returnsTo(byFrame[frame], slot, level), g.calledAs(c.in, slot+frame, level+1)
		if here == nil || above == nil {
			continue
		}
		any = g.or(any, g.and(here, above))
	}
	return any
}

// returnsTo returns an expression that is true if the return address, slot bytes above sp, is one of
// addrs; nil if none of these is known. If a return probe has replaced the return address, the
// stack is unwound, which takes longer.
func (g *guard) returnsTo(addrs []uint64, slot, level int64) syntax.Expr {
	at, im := g.finder.maker.m.At, g.finder.image
	var back program.Expr = &program.Deref{User: im.User(), At: at, Addr: program.Plus(at, &program.Register{At: at, Number: arch.X86_64.StackPointer}, slot), Size: 8}
	if im.User() && g.finder.maker.m.Has("return") && !g.atReturns {
		back = &program.Register{At: at, Number: arch.X86_64.ProgramCounter} // the function has returned already
	}
	var is program.Expr
	var unwound syntax.Expr
	for _, addr := range addrs {
		to, err := im.Address(at, addr, g.from)
		if err != nil {
			continue
		}
		is = either(is, &program.Compare{At: at, Op: "==", X: back, Y: to})
		unwound = g.or(unwound, &syntax.BinaryExpr{At: at, Op: "==", Y: g.variable("caller", to),
			X: &syntax.CallExpr{At: at, Name: "stack", Args: []syntax.Expr{&syntax.NumberLit{At: at, Value: level}}}})
	}
	if is == nil {
		return nil
	}
	if g.finder.maker.m.Has("return") && !im.User() {
		return unwound // at a return sp points into the caller's frame
	}
	test := g.variable("caller", is)
	if im.User() {
		return test
	}
	if hooked := g.hooked(back); hooked != nil {
		test = g.or(test, g.and(g.variable("hooked", hooked), unwound))
	}
	return test
}

// hooked returns an expression that is true if a return address is a trampoline of return probes
// or the function graph tracer; nil if the kernel has none.
func (g *guard) hooked(back program.Expr) program.Expr {
	at := g.finder.maker.m.At
	k, err := g.finder.c.Target.Kernel()
	if err != nil {
		return nil
	}
	var is program.Expr
	for _, name := range []string{"arch_rethook_trampoline", "__kretprobe_trampoline", "kretprobe_trampoline", "return_to_handler"} {
		for _, f := range k.Lookup(name) {
			is = either(is, &program.Compare{At: at, Op: "==", X: back,
				Y: program.Plus(at, &program.SymbolAddr{At: at, Symbol: "_stext"}, f.Offset)})
		}
	}
	return is
}

// either is x | y; x may be nil.
func either(x program.Expr, y *program.Compare) program.Expr {
	if x == nil {
		return y
	}
	return &program.Binary{At: y.At, Op: "|", X: x, Y: y}
}

// variable returns an expression of the script's language whose value is x.
func (g *guard) variable(name string, x program.Expr) syntax.Expr {
	v := &syntax.TargetVar{At: g.finder.maker.m.At, Name: name}
	g.given[v] = x
	return v
}

// or is x || y; x may be nil.
func (g *guard) or(x, y syntax.Expr) syntax.Expr {
	if x == nil {
		return y
	}
	return &syntax.BinaryExpr{At: g.finder.maker.m.At, Op: "||", X: x, Y: y}
}

// and is x && y. y is only evaluated if x is true: it may read beyond the stack's end.
func (g *guard) and(x, y syntax.Expr) syntax.Expr {
	return &syntax.BinaryExpr{At: g.finder.maker.m.At, Op: "&&", X: x, Y: y}
}
