// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// How Go's functions pass arguments and results since Go 1.17: ABIInternal, src/cmd/compile/abi-internal.md in the Go tree.

// A goPart is the part of a value that is in one register.
type goPart struct {
	at, size int64 // in bytes, in the value
	register int   // by its DWARF number
}

// A goAssignment is where Go's calling convention passes a value: in registers, or on the stack behind the return address.
type goAssignment struct {
	parts   []goPart
	onStack bool
	stack   int64 // from the stack pointer at the function's entry on
}

// A goAssigner assigns registers to values.
type goAssigner struct {
	types   *dwarf.Types
	general int // registers assigned so far
	vector  int
	parts   []goPart
	left    int // fields that may still be visited: hostile types have any number
}

// goAssignments assigns the values of a sequence, the parameters or the results. Those that don't fit into
// registers are on the stack, from stack to end.
func goAssignments(types *dwarf.Types, sequence []btf.ID, stack int64) (list []goAssignment, end int64) {
	a := goAssigner{types: types, left: maxClassified}
	for _, id := range sequence {
		general, vector := a.general, a.vector
		a.parts = nil
		if a.assign(id, 0) {
			list = append(list, goAssignment{parts: a.parts})
			continue
		}
		a.general, a.vector = general, vector
		align := goAlign(types, id, maxLevels)
		stack = (stack + align - 1) &^ (align - 1)
		list = append(list, goAssignment{onStack: true, stack: stack})
		stack += goSize(types, id)
	}
	return list, (stack + machine.WordSize - 1) &^ (machine.WordSize - 1)
}

// assign assigns registers to a field of a type at a byte of the value; false if there are too few.
func (a *goAssigner) assign(id btf.ID, at int64) bool {
	if a.left--; a.left < 0 {
		return false
	}
	if kind, _, _ := a.types.Go(id); kind == dwarf.GoComplex64 || kind == dwarf.GoComplex128 {
		half := a.types.Size(id) / 2
		return a.take(&a.vector, machine.GoVectors, at, half) && a.take(&a.vector, machine.GoVectors, at+half, half)
	}
	t := a.types.Strip(id)
	switch a.types.Kind(t) {
	case btf.Struct:
		for _, m := range a.types.Members(t) {
			if !a.assign(m.Type, at+m.Offset/8) {
				return false
			}
		}
		return true
	case btf.Array:
		switch a.types.Len(t) {
		case 0:
			return true
		case 1:
			return a.assign(a.types.Target(t), at)
		}
		return false
	case btf.Float:
		return a.take(&a.vector, machine.GoVectors, at, a.types.Size(t))
	}
	return a.take(&a.general, machine.GoArguments, at, goSize(a.types, id))
}

func (a *goAssigner) take(taken *int, from []int, at, size int64) bool {
	if *taken >= len(from) {
		return false
	}
	a.parts = append(a.parts, goPart{at, size, from[*taken]})
	*taken++
	return true
}

// goSize is a type's size; functions are pointers.
func goSize(types *dwarf.Types, id btf.ID) int64 {
	if types.Kind(types.Strip(id)) == btf.Prototype {
		return machine.WordSize
	}
	return types.Size(id)
}

func goAlign(types *dwarf.Types, id btf.ID, depth int) int64 {
	align := int64(1)
	t := types.Strip(id)
	switch types.Kind(t) {
	case btf.Struct:
		for _, m := range types.Members(t) {
			if depth > 0 {
				align = max(align, goAlign(types, m.Type, depth-1))
			}
		}
	case btf.Array:
		if depth > 0 {
			align = goAlign(types, types.Target(t), depth-1)
		}
	default:
		for align < min(goSize(types, id), machine.WordSize) {
			align *= 2
		}
	}
	return align
}

// goLocation returns the location of a variable that is assigned there: at the function's entry, or, for a result, at its return.
func goLocation(types *dwarf.Types, full btf.Named, v *dwarf.Variable, to goAssignment, at syntax.Pos) *location {
	l := &location{types: types, full: full, at: at, what: "$" + v.Name, typ: v.Type, user: true}
	if to.onStack {
		l.addr, l.pos = &program.Register{At: at, Number: machine.StackPointer}, 8*to.stack
		return l
	}
	words := (goSize(types, v.Type) + machine.WordSize - 1) / machine.WordSize
	l.regs = make([]program.Expr, max(words, 1))
	for _, part := range to.parts {
		w, from := part.at/machine.WordSize, 8*(part.at%machine.WordSize)
		if w >= int64(len(l.regs)) {
			break
		}
		var x program.Expr = &program.Register{At: at, Number: part.register}
		if part.size == machine.WordSize {
			l.regs[w] = x
			continue
		}
		x = &program.Cast{At: at, X: x, Size: int(part.size)}
		if from > 0 {
			x = &program.Binary{At: at, Op: "<<", X: x, Y: &program.Number{At: at, Value: from}}
		}
		if l.regs[w] != nil {
			x = &program.Binary{At: at, Op: "|", X: l.regs[w], Y: x}
		}
		l.regs[w] = x
	}
	return l
}
