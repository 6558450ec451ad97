// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import "debug/dwarf"

// A Label is a label of the source with code behind it.
type Label struct {
	Name string
	Line int // of the source, 0 if unknown
	Addr uint64
}

// Labels returns the labels in an instance, without those of functions inlined into it.
func (i *Info) Labels(in Instance) ([]Label, error) {
	d, err := i.dieOf(in)
	if err != nil {
		return nil, err
	}
	var list []Label
	own(d, maxBlocks, func(c die) {
		if c.tag != dwarf.TagLabel {
			return
		}
		if v, ok := c.attr(dwarf.AttrLowpc); ok && v.u != 0 {
			line, _ := c.attr(dwarf.AttrDeclLine)
			list = append(list, Label{c.name(), int(line.u), v.u})
		}
	})
	return list, nil
}

// A Call is a function that another one calls directly, or that is inlined there.
type Call struct {
	Name    string
	Target  Instance
	Returns []uint64 // the return addresses of its calls; none for an inlined copy
	Jumped  bool     // at least one call is a jump, a tail call, and does not return to the instance
}

// Calls returns the functions that an instance calls, without the calls in functions inlined into
// it. Calls through pointers are not known.
func (i *Info) Calls(in Instance) ([]Call, error) {
	d, err := i.dieOf(in)
	if err != nil {
		return nil, err
	}
	var list []Call
	at := map[uint64]int{} // in list, by the called function's DIE
	own(d, maxBlocks, func(c die) {
		switch c.tag {
		case dwarf.TagInlinedSubroutine:
			if copy, ok := i.instanceAt(in.unit, c.off); ok {
				list = append(list, Call{Name: copy.Func.Name, Target: copy})
			}
		case dwarf.TagCallSite, tagGNUCallSite:
			name, returns := dwarf.AttrCallOrigin, dwarf.AttrCallReturnPC
			if c.tag == tagGNUCallSite {
				name, returns = dwarf.AttrAbstractOrigin, dwarf.AttrLowpc
			}
			back, ok := c.attr(returns)
			to, found := c.ref(name)
			if !ok || !found {
				return
			}
			key := uint64(to.u.off)<<32 | uint64(to.off)
			n, ok := at[key]
			if !ok {
				for _, target := range i.targets(to.name(), in.unit) {
					n, ok = len(list), true
					at[key] = n
					list = append(list, Call{Name: target.Func.Name, Target: target})
				}
			}
			switch {
			case !ok:
			case c.flag(dwarf.AttrCallTailCall) || c.flag(attrGNUTailCall):
				list[n].Jumped = true
			default:
				list[n].Returns = append(list[n].Returns, back.u)
			}
		}
	})
	return list, nil
}

// own calls visit for the DIEs in d and its blocks, without those in functions
// inlined there.
func own(d die, depth int, visit func(die)) {
	if depth == 0 {
		return
	}
	d.eachChild(func(c die) bool {
		visit(c)
		if c.tag == dwarf.TagLexDwarfBlock {
			own(c, depth-1, visit)
		}
		return true
	})
}

// instanceAt returns the instance with the DIE at an offset.
func (i *Info) instanceAt(unit, die uint32) (Instance, bool) {
	i.mu.Lock()
	if i.byDie == nil {
		i.byDie = make(map[[2]uint32]uint32, len(i.instances))
		for n := range i.instances {
			i.byDie[[2]uint32{i.instances[n].Unit, i.instances[n].Die}] = uint32(n)
		}
	}
	n, ok := i.byDie[[2]uint32{unit, die}]
	i.mu.Unlock()
	if !ok {
		return Instance{}, false
	}
	return i.instance(n), true
}

// targets returns the function that a call by that name goes to: the unit's own one is
// preferred to others of the name.
func (i *Info) targets(name string, unit uint32) []Instance {
	var near, far []Instance
	for _, f := range i.Lookup(name) {
		for _, in := range f.Instances() {
			switch {
			case in.Inlined:
			case in.unit == unit:
				near = append(near, in)
			default:
				far = append(far, in)
			}
		}
	}
	if len(near) > 0 {
		return near[:1]
	}
	if len(far) == 1 {
		return far
	}
	return nil // there are several
}
