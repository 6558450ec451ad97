// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gostap/translator/program"
)

// Aliases such as syscall.* make hundreds of handlers of one, which differ in how they begin: in where the arguments are, then
// in what they mean, and which end alike, in the script's own statements. What several end in is split off as a function, a
// tail, which the compiler then sees once. It is the last thing that those handlers do, and is given the variables that they
// have used by then.

// fewest is how many handlers a script has at least of which tails are split off: with less, there is little to gain for what
// the call costs each hit.
const fewest = 8

// lightest is what a tail weighs at least; see speller.
const lightest = 6

// lightestHead is what a head weighs at least: its tail is called through a pointer.
const lightestHead = 12

// A tailed is a handler whose tail is looked for.
type tailed struct {
	probe *program.Probe
	stmts []program.Stmt
	keys  []string                  // of stmts
	own   []bool                    // whether a statement is this handler's only
	sizes []int                     // their weights
	used  []map[*program.Local]bool // the locals in each of stmts
	named map[string]*program.Local
	told  bool // what it does before its tail is worth calling that through a pointer
}

// A beginning is what several handlers do before their tails, with other constants.
type beginning struct {
	shared bool
	told   bool // which tail: they have several
}

// A split is what splitTails has done.
type split struct {
	tails map[*program.Function]bool
	heads map[*program.Probe]beginning // probes whose handlers begin as others' do, before their tails
}

// splitTails returns p with the tails of its probes split off.
func splitTails(p *program.Program) (*program.Program, split) {
	if len(p.Probes) < fewest {
		return p, split{}
	}
	sp := &splitter{
		split: split{tails: map[*program.Function]bool{}, heads: map[*program.Probe]beginning{}},
		of:    map[*program.Probe][]program.Stmt{},
		begin: map[string][]*tailed{},
	}
	var all []*tailed
	for _, pr := range p.Probes {
		if t := newTailed(&sp.speller, pr); t != nil {
			all = append(all, t)
		}
	}
	sp.group(all, 0, 0, nil)
	shorter := *p
	shorter.Functions = append(slices.Clone(p.Functions), sp.functions...)
	shorter.Probes = slices.Clone(p.Probes)
	now := map[*program.Probe]*program.Probe{}
	for i, pr := range p.Probes {
		if body := sp.of[pr]; body != nil {
			short := *pr
			short.Body = body
			shorter.Probes[i], now[pr] = &short, &short
		}
	}
	for _, handlers := range sp.begin {
		for _, h := range handlers {
			sp.heads[now[h.probe]] = beginning{shared: len(handlers) > 1, told: h.told}
		}
	}
	return &shorter, sp.split
}

// newTailed returns nil for a probe whose handler is left whole: one that seldom runs, one for which programs' memory is
// looked at beforehand, or one that has two variables of one name.
func newTailed(sp *speller, pr *program.Probe) *tailed {
	if phaseOf(pr) != running || isCold(pr) || slices.ContainsFunc(pr.Points, func(pt *program.Point) bool { return userFamilies[pt.Family] }) {
		return nil
	}
	t := &tailed{probe: pr, stmts: flatten(nil, pr.Body), named: map[string]*program.Local{}}
	for i := range t.stmts {
		key, size, used, ok := sp.statement(t.stmts[i])
		for l := range used {
			if other := t.named[l.Name]; other != nil && other != l {
				return nil
			}
			t.named[l.Name] = l
		}
		t.keys, t.own = append(t.keys, key), append(t.own, !ok)
		t.sizes, t.used = append(t.sizes, size), append(t.used, used)
	}
	return t
}

// flatten appends the statements of blocks to list.
func flatten(list, stmts []program.Stmt) []program.Stmt {
	for _, s := range stmts {
		switch s := s.(type) {
		case nil:
		case *program.Block:
			list = flatten(list, s.Stmts)
		default:
			list = append(list, s)
		}
	}
	return list
}

// A splitter splits tails off.
type splitter struct {
	split
	speller   speller
	of        map[*program.Probe][]program.Stmt // the bodies that have become shorter
	begin     map[string][]*tailed              // which begin so, before their tails
	functions []*program.Function
}

// group splits tails off of handlers, which agree in their last n statements; of these the last done ones are in tail.
func (sp *splitter) group(handlers []*tailed, n, done int, tail *program.Function) {
	groups := map[string][]*tailed{}
	var order []string
	for _, h := range handlers {
		key := "" // it has no more statements
		if n < len(h.keys) {
			at := len(h.keys) - 1 - n
			key = h.keys[at]
			if h.own[at] {
				key = fmt.Sprintf("%p", h)
			}
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], h)
	}
	if len(order) > 1 && weight(handlers[0], n, done) >= lightest {
		tail = sp.function(handlers, n, done, tail)
		done = n
	}
	for _, key := range order {
		same := groups[key]
		if key != "" && len(same) > 1 {
			sp.group(same, n+1, done, tail)
			continue
		}
		for _, h := range same {
			if tail != nil {
				sp.of[h.probe] = h.before(done, tail)
				begin := h.beginning(done, tail)
				sp.begin[begin] = append(sp.begin[begin], h)
			}
		}
	}
}

// weight is what the statements weigh that are among h's last n and not among its last done.
func weight(h *tailed, n, done int) int {
	sum := 0
	for _, size := range h.sizes[len(h.sizes)-n : len(h.sizes)-done] {
		sum += size
	}
	return sum
}

// function makes a tail of the last n statements of handlers, the last done of which are in tail already.
func (sp *splitter) function(handlers []*tailed, n, done int, tail *program.Function) *program.Function {
	first := handlers[0]
	fn := &program.Function{At: first.stmts[len(first.stmts)-n].Pos(), Name: fmt.Sprintf("tail %d", len(sp.functions)), Result: program.Void}
	fn.Body = first.before(done, tail)[len(first.stmts)-n:]
	within := map[string]*program.Local{}
	for _, used := range first.used[len(first.used)-n:] {
		for l := range used {
			within[l.Name] = l
		}
	}
	given := map[string]bool{}
	for _, h := range handlers {
		for _, used := range h.used[:len(h.used)-n] {
			for l := range used {
				given[l.Name] = true
			}
		}
	}
	for name, l := range within {
		if given[name] {
			fn.Params = append(fn.Params, l)
		} else {
			fn.Locals = append(fn.Locals, l)
		}
	}
	byName := func(a, b *program.Local) int { return cmp.Compare(a.Name, b.Name) }
	slices.SortFunc(fn.Params, byName)
	slices.SortFunc(fn.Locals, byName)
	sp.functions = append(sp.functions, fn)
	sp.tails[fn] = true
	return fn
}

// beginning is a key for what h does before its last done statements, which are in tail: constants that it gives variables are
// left out of it, and so is the tail if h may be told it.
func (h *tailed) beginning(done int, tail *program.Function) string {
	var key strings.Builder
	for i, s := range h.stmts[:len(h.stmts)-done] {
		if l, _ := givesConstant(s); l != nil {
			fmt.Fprintf(&key, "%s %d;", l.Name, l.Type)
		} else {
			key.WriteString(h.keys[i])
		}
	}
	if h.told = weight(h, len(h.stmts), done) >= lightestHead; !h.told {
		key.WriteString(tail.Name)
	}
	return key.String()
}

// before is h's statements without the last n, which tail, if it is not nil, is called for.
func (h *tailed) before(n int, tail *program.Function) []program.Stmt {
	if tail == nil {
		return h.stmts
	}
	at := h.probe.At // so that what stands before it is the same C before other tails
	call := &program.Call{At: at, Fn: tail}
	for _, param := range tail.Params {
		call.Args = append(call.Args, &program.LocalRef{At: at, Local: h.named[param.Name]})
	}
	return append(slices.Clone(h.stmts[:len(h.stmts)-n]), &program.Eval{X: call})
}
