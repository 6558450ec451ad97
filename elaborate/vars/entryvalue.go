// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// The value that an argument's register had at a function's entry may be lost later,
// though debuginfo still locates a variable by it (DW_OP_entry_value). A handler that
// reads such a variable has a second probe at the function's entry, which saves the
// register's value by functions of the tapset context/entries.stp. Handlers of calls that
// began before the session do not run, as for return probes.

// EntryValues are the entry values that variables need; the index is their number.
type EntryValues []*EntryValue

// An EntryValue is the value of a register at a function's entry.
type EntryValue struct {
	Source   *image.Source
	Function dwarf.Instance
	Register int64 // its DWARF number
	Base     image.BaseSymbol
}

// entryValue returns the value of a register at the function's entry, where the stack
// pointer was just below frame.
func (r *resolution) entryValue(s *scope, register int64, frame program.Expr) (program.Expr, error) {
	if r.summary || !machine.Visible(register) {
		return nil, dwarf.ErrEntryOnly
	}
	number, err := r.env.Entries.number(s.Source, *s.Outermost(), register)
	if err != nil {
		return nil, err
	}
	at := &syntax.TargetVar{At: r.x.At, Name: "frame"}
	r.made[at] = &program.Value{X: FrameKey(r.x.At, s.Source, frame)}
	return &program.ScriptExpr{X: EntryCall(r.x.At, "value", at, number)}, nil
}

// FrameKey identifies a function's frame: by its address and, in a program, the process, as
// stacks of several processes may be at the same addresses.
func FrameKey(at syntax.Pos, src *image.Source, frame program.Expr) program.Expr {
	if !src.User() {
		return frame
	}
	const above = 42 // bits of an address below which stacks differ
	return &program.Binary{At: at, Op: "^", X: frame, Y: &program.Binary{At: at, Op: "<<",
		X: &program.ScriptExpr{X: &syntax.CallExpr{At: at, Name: "pid"}}, Y: &program.Number{At: at, Value: above}}}
}

// EntryCall calls one of the tapset's functions for the entry value of a number:
// keep, seen or value.
func EntryCall(at syntax.Pos, what string, frame syntax.Expr, number int64, more ...syntax.Expr) *syntax.CallExpr {
	args := append([]syntax.Expr{frame, &syntax.NumberLit{At: at, Value: number}}, more...)
	return &syntax.CallExpr{At: at, Name: "__entry_" + what, Args: args}
}

// number returns the number of an entry value, its key in the tapset.
func (list *EntryValues) number(src *image.Source, function dwarf.Instance, register int64) (int64, error) {
	for i, e := range *list {
		if e.Source.Name() == src.Name() && e.Function.Die == function.Die && e.Function.Low == function.Low && e.Register == register {
			return int64(i), nil
		}
	}
	base, why, lost := src.BaseSymbol(function)
	if lost {
		return 0, dwarf.ErrEntryOnly
	}
	if why == "" && !base.Ftrace {
		why = src.Refusal(function, &base, function.Low)
	}
	if why != "" {
		return 0, errors.WithMessage(dwarf.ErrEntryOnly, "the entry can't be probed, for "+why)
	}
	*list = append(*list, &EntryValue{src, function, register, base})
	return int64(len(*list) - 1), nil
}
