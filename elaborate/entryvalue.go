// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"slices"

	"gostap/elaborate/probetype"
	"gostap/elaborate/vars"
	"gostap/internal/arch"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// enter adds the probes that save the entry values a probe's values refer to, and makes the
// probe skip hits whose entry values were not saved.
func (el *elaboration) enter(group *program.ElaboratedProbe) {
	frames := map[int64]syntax.Expr{}
	for _, v := range group.Values {
		walk(v.X, func(x program.Expr) {
			op, ok := x.(*program.ScriptExpr)
			if !ok {
				return
			}
			if call, ok := op.X.(*syntax.CallExpr); ok && call.Name == "__entry_value" {
				frames[call.Args[1].(*syntax.NumberLit).Value] = call.Args[0]
			}
		})
	}
	before := &syntax.Block{}
	for number := range int64(len(el.env.Entries)) {
		frame := frames[number]
		if frame == nil {
			continue
		}
		at := frame.Pos()
		el.keep(at, number)
		before.Stmts = append(before.Stmts, &syntax.IfStmt{
			At:   at,
			Cond: &syntax.UnaryExpr{At: at, Op: "!", X: vars.EntryCall(at, "seen", frame, number)},
			Then: &syntax.NextStmt{At: at},
		})
	}
	if len(before.Stmts) > 0 {
		group.Bodies = slices.Insert(slices.Clone(group.Bodies), 0, before)
	}
}

// keep adds the probe that saves an entry value, unless it exists.
func (el *elaboration) keep(at syntax.Pos, number int64) {
	if el.entered[number] {
		return
	}
	el.entered[number] = true
	e := el.env.Entries[number]
	frame, value := &syntax.TargetVar{At: at, Name: "frame"}, &syntax.TargetVar{At: at, Name: "value"}
	family := probetype.Family(e.Source, false)
	if e.Base.Ftrace && !e.Source.User() {
		family = "function"
	}
	name := probetype.PointAt(e.Source, e.Function.Func)
	el.out.Probes = append(el.out.Probes, &program.ElaboratedProbe{
		At:   at,
		Name: name,
		Points: []*program.Point{{
			At:        at,
			Family:    family,
			Name:      name,
			Func:      e.Function.Func.Name,
			Site:      e.Source.Site(&e.Base, e.Function.Low),
			Registers: true,
		}},
		Bodies: []*syntax.Block{{Stmts: []syntax.Stmt{&syntax.ExprStmt{X: vars.EntryCall(at, "keep", frame, number, value)}}}},
		Values: map[syntax.Expr]*program.Value{
			frame: {X: vars.FrameKey(at, e.Source, program.Plus(at, &program.Register{At: at, Number: arch.X86_64.StackPointer}, arch.X86_64.ReturnAddress))},
			value: {X: &program.Register{At: at, Number: int(e.Register)}},
		},
	})
	if e.Source.User() {
		el.call("pid", 0)
	}
	el.call("__entry_keep", 3)
	el.call("__entry_seen", 2)
}
