// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"slices"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// What an argument's register held at a function's entry may be in no place later,
// though debuginfo still says of a variable that it is that (DW_OP_entry_value). A
// handler that reads such a variable has a second probe at the function's entry, which
// keeps what the register holds; tapset context/entries.stp has where. Handlers whose
// function was entered before do not run, as for return probes.

// An entryValue is what a register of a function holds at its entry.
type entryValue struct {
	image    *image
	function dwarf.Instance
	register int64
	at       anchor
}

// entryValue returns what a register held at the function's entry, at which the
// stack pointer was just below frame.
func (r *resolution) entryValue(s *sourceScope, register int64, frame program.Expr) (program.Expr, error) {
	if r.summary {
		return nil, dwarf.ErrEntryOnly
	}
	if register < 0 || register > dwarfRIP {
		return nil, dwarf.ErrEntryOnly
	}
	function := s.Instance
	if s.Outer != nil {
		function = *s.Outer
	}
	number, err := r.vars.target.entryNumber(s.image, function, register)
	if err != nil {
		return nil, err
	}
	at := &syntax.TargetVar{At: r.x.At, Name: "frame"}
	r.made[at] = &program.Value{X: frame}
	return &program.Operand{X: entryCall(r.x.At, "value", at, number)}, nil
}

// entryCall calls one of the tapset's functions.
func entryCall(at syntax.Pos, what string, frame syntax.Expr, number int64, more ...syntax.Expr) *syntax.CallExpr {
	args := append([]syntax.Expr{frame, &syntax.NumberLit{At: at, Value: number}}, more...)
	return &syntax.CallExpr{At: at, Name: "__entry_" + what, Args: args}
}

// entryNumber returns the number of an entry value, by which the tapset keeps it.
func (t *Target) entryNumber(im *image, function dwarf.Instance, register int64) (int64, error) {
	for i, e := range t.entryValues {
		if e.image.module == im.module && e.function.Die == function.Die && e.function.Low == function.Low && e.register == register {
			return int64(i), nil
		}
	}
	at, why, lost := im.anchor(function)
	if lost {
		return 0, dwarf.ErrEntryOnly
	}
	if why == "" && !at.Ftrace {
		why = t.refusal(im, function, &at, function.Low)
	}
	if why != "" {
		return 0, errors.WithMessage(dwarf.ErrEntryOnly, "the entry can't be probed, for "+why)
	}
	t.entryValues = append(t.entryValues, &entryValue{im, function, register, at})
	return int64(len(t.entryValues) - 1), nil
}

// enter has the entry values kept that a probe's values refer to, and leaves out
// those of its hits for which that was not done.
func (s *session) enter(group *program.ElaboratedProbe) {
	frames := map[int64]syntax.Expr{}
	for _, v := range group.Values {
		walk(v.X, func(x program.Expr) {
			op, ok := x.(*program.Operand)
			if !ok {
				return
			}
			if call, ok := op.X.(*syntax.CallExpr); ok && call.Name == "__entry_value" {
				frames[call.Args[1].(*syntax.NumberLit).Value] = call.Args[0]
			}
		})
	}
	before := &syntax.Block{}
	for number := range int64(len(s.target.entryValues)) {
		frame := frames[number]
		if frame == nil {
			continue
		}
		at := frame.Pos()
		s.keep(at, number)
		before.Stmts = append(before.Stmts, &syntax.IfStmt{
			At:   at,
			Cond: &syntax.UnaryExpr{At: at, Op: "!", X: entryCall(at, "seen", frame, number)},
			Then: &syntax.NextStmt{At: at},
		})
	}
	if len(before.Stmts) > 0 {
		group.Bodies = slices.Insert(slices.Clone(group.Bodies), 0, before)
	}
}

// keep adds the probe that keeps an entry value, unless it is there.
func (s *session) keep(at syntax.Pos, number int64) {
	if s.entered[number] {
		return
	}
	s.entered[number] = true
	e := s.target.entryValues[number]
	frame, value := &syntax.TargetVar{At: at, Name: "frame"}, &syntax.TargetVar{At: at, Name: "value"}
	family := "kprobe"
	if e.at.Ftrace && e.image.kernel != nil {
		family = "function"
	}
	name := pointAt(e.image.module, e.function.Func)
	s.out.Probes = append(s.out.Probes, &program.ElaboratedProbe{
		At:   at,
		Name: name,
		Points: []*program.Point{{
			At:           at,
			Family:       family,
			Name:         name,
			Func:         e.function.Func.Name,
			Module:       e.at.module,
			Symbol:       e.at.Name,
			SymbolOffset: e.at.Offset,
			Offset:       int64(e.function.Low - e.at.Addr),
			Registers:    true,
		}},
		Bodies: []*syntax.Block{{Stmts: []syntax.Stmt{&syntax.ExprStmt{X: entryCall(at, "keep", frame, number, value)}}}},
		Values: map[syntax.Expr]*program.Value{
			frame: {X: plus(at, &program.Register{At: at, Number: dwarfRSP}, returnAddress)},
			value: {X: &program.Register{At: at, Number: int(e.register)}},
		},
	})
	for _, what := range []string{"keep", "seen"} {
		s.call("__entry_" + what)
	}
}
