// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gostap/translator/program"
)

// Aliases such as syscall.* make hundreds of handlers out of one. They differ at their beginning, in
// the location and meaning of the arguments, and are equal at their end, the script's own statements.
// The common end of several handlers is split off as a function, a tail, so that it is compiled once.
// It is called at the end of those handlers, and its parameters are the variables that they have used
// by then.

// minHandlers is the minimal number of handlers for which tails are split off: with fewer there is little to
// gain for the cost of a call at each hit.
const minHandlers = 8

// minTailWeight is the minimal weight of a tail; see speller.
const minTailWeight = 6

// minHeadWeight is the minimal weight of a head: its tail is called through a pointer.
const minHeadWeight = 12

// A candidate is a handler whose tail may be split off.
type candidate struct {
	probe     *program.Probe
	stmts     []program.Stmt
	keys      []string                  // of stmts
	own       []bool                    // whether a statement belongs to this handler only
	sizes     []int                     // their weights
	used      []map[*program.Local]bool // the locals in each of stmts
	named     map[string]*program.Local
	tailInRow bool // the code before its tail is large enough to call the tail through a pointer
}

// A beginning is the code of several handlers before their tails, which differs only in constants.
type beginning struct {
	shared    bool
	tailInRow bool // the tail is in the row: they have several
}

// A split is the result of splitTails.
type split struct {
	tails map[*program.Function]bool
	heads map[*program.Probe]beginning // probes whose handlers share the code before their tails with others
}

// splitTails returns p with the tails of its probes split off.
func splitTails(p *program.Program) (*program.Program, split) {
	if len(p.Probes) < minHandlers {
		return p, split{}
	}
	sp := &splitter{
		split: split{tails: map[*program.Function]bool{}, heads: map[*program.Probe]beginning{}},
		of:    map[*program.Probe][]program.Stmt{},
		begin: map[string][]*candidate{},
	}
	var all []*candidate
	for _, pr := range p.Probes {
		if t := newCandidate(&sp.speller, pr); t != nil {
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
			sp.heads[now[h.probe]] = beginning{shared: len(handlers) > 1, tailInRow: h.tailInRow}
		}
	}
	return &shorter, sp.split
}

// newCandidate returns nil for a probe whose handler is not split: one that rarely runs, one for which
// user memory is touched beforehand, or one with two variables of the same name.
func newCandidate(sp *speller, pr *program.Probe) *candidate {
	if phaseOf(pr) != running || isCold(pr) || slices.ContainsFunc(pr.Points, func(pt *program.Point) bool { return userFamilies[pt.Family] }) {
		return nil
	}
	t := &candidate{probe: pr, stmts: flatten(nil, pr.Body), named: map[string]*program.Local{}}
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

// A splitter splits off tails.
type splitter struct {
	split
	speller   speller
	of        map[*program.Probe][]program.Stmt // the bodies that have become shorter
	begin     map[string][]*candidate           // handlers by their code before their tails
	functions []*program.Function
}

// group splits tails off handlers, which have the same last n statements; the last done of these are in
// tail already.
func (sp *splitter) group(handlers []*candidate, n, done int, tail *program.Function) {
	groups := map[string][]*candidate{}
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
	if len(order) > 1 && weight(handlers[0], n, done) >= minTailWeight {
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

// weight is the weight of h's last n statements without its last done ones.
func weight(h *candidate, n, done int) int {
	sum := 0
	for _, size := range h.sizes[len(h.sizes)-n : len(h.sizes)-done] {
		sum += size
	}
	return sum
}

// function makes a tail of the last n statements of handlers, of which the last done ones are in tail
// already.
func (sp *splitter) function(handlers []*candidate, n, done int, tail *program.Function) *program.Function {
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

// beginning is a key of h's code before its last done statements, which are in tail. It does not
// include constants that are assigned to variables, nor tail if that may be in the row.
func (h *candidate) beginning(done int, tail *program.Function) string {
	var key strings.Builder
	for i, s := range h.stmts[:len(h.stmts)-done] {
		if l, _ := constantAssignment(s); l != nil {
			fmt.Fprintf(&key, "%s %d;", l.Name, l.Type)
		} else {
			key.WriteString(h.keys[i])
		}
	}
	if h.tailInRow = weight(h, len(h.stmts), done) >= minHeadWeight; !h.tailInRow {
		key.WriteString(tail.Name)
	}
	return key.String()
}

// before returns h's statements without the last n, followed by a call of tail if it is not nil.
func (h *candidate) before(n int, tail *program.Function) []program.Stmt {
	if tail == nil {
		return h.stmts
	}
	at := h.probe.At // so that the code before it is the same C for all tails
	call := &program.Call{At: at, Fn: tail}
	for _, param := range tail.Params {
		call.Args = append(call.Args, &program.LocalRef{At: at, Local: h.named[param.Name]})
	}
	return append(slices.Clone(h.stmts[:len(h.stmts)-n]), &program.Eval{X: call})
}
