// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"strconv"

	"gostap/internal/lazyregexp"
	"gostap/translator/format"
	"gostap/translator/program"
)

// bounds are the maximal lengths, in bytes, of a program's strings: they keep array nodes and frames
// small. Scalar globals are not included, since -G may set them to anything.
type bounds struct {
	maxLen int // MAXSTRINGLEN-1
	local  map[*program.Local]int
	value  map[*program.Global]int // of an array's elements
	key    map[*program.Global][]int
	result map[*program.Function]int

	changed bool
	widen   bool // set growing bounds to `maxLen`
}

// maxRounds is the number of iterations after which bounds that still grow, as for s = s . "x" in a loop,
// are set to the maximum.
const maxRounds = 5

func findBounds(p *program.Program, setByC map[*program.Global]bool, maxLen int) *bounds {
	b := &bounds{
		maxLen: maxLen,
		local:  map[*program.Local]int{},
		value:  map[*program.Global]int{},
		key:    map[*program.Global][]int{},
		result: map[*program.Function]int{},
	}
	for _, g := range p.Globals {
		b.key[g] = make([]int, len(g.Keys))
		if setByC[g] {
			b.value[g] = maxLen
			for i := range b.key[g] {
				b.key[g][i] = maxLen
			}
		}
	}
	for n := 0; ; n++ {
		b.changed, b.widen = false, n >= maxRounds
		for _, fn := range p.Functions {
			b.function(fn)
		}
		for _, pr := range p.Probes {
			b.body(nil, pr.Body)
		}
		if !b.changed {
			return b
		}
	}
}

// grow returns the maximum of old and n, or `maxLen` if it grows and widen is set.
func (b *bounds) grow(old, n int) int {
	n = min(n, b.maxLen)
	if n <= old {
		return old
	}
	b.changed = true
	if b.widen {
		return b.maxLen
	}
	return n
}

var maxlenMark = lazyregexp.MustCompile(`/\*\s*maxlen:(\d+)\s*\*/`)

// function adds the arguments and results in fn to the bounds.
func (b *bounds) function(fn *program.Function) {
	if fn.Next != nil {
		for i, p := range fn.Params {
			to := fn.Next.Params[i]
			b.local[to] = b.grow(b.local[to], b.local[p])
		}
		b.result[fn] = b.grow(b.result[fn], b.result[fn.Next])
	}
	if fn.Code == nil {
		b.body(fn, fn.Body)
		return
	}
	n := b.maxLen
	if m := maxlenMark().FindStringSubmatch(fn.Code.Text); m != nil {
		n, _ = strconv.Atoi(m[1])
	}
	b.result[fn] = b.grow(b.result[fn], n)
}

func (b *bounds) body(fn *program.Function, list []program.Stmt) {
	v := visitor{expr: func(e program.Expr, _ bool) { b.expr(e) }}
	v.enter = func(s program.Stmt) {
		switch s := s.(type) {
		case *program.Return:
			if fn != nil && fn.Result == program.String {
				b.result[fn] = b.grow(b.result[fn], b.of(s.X))
			}
		case *program.Foreach:
			for i, k := range s.Keys {
				if k != nil && k.Type == program.String {
					b.local[k] = b.grow(b.local[k], b.key[s.Array][i])
				}
			}
			if s.Value != nil && s.Value.Type == program.String {
				b.local[s.Value] = b.grow(b.local[s.Value], b.value[s.Array])
			}
		case *program.Try:
			if ref, ok := s.Msg.(*program.LocalRef); ok {
				b.local[ref.Local] = b.grow(b.local[ref.Local], b.maxLen)
			}
		}
	}
	v.stmts(list)
}

func (b *bounds) expr(e program.Expr) {
	switch e := e.(type) {
	case *program.Assign:
		b.assign(e)
	case *program.IncDec:
		b.insert(e.X)
	case *program.Aggregate:
		b.insert(e.X)
	case *program.Call:
		for i, x := range e.Args {
			if p := e.Fn.Params[i]; p.Type == program.String {
				b.local[p] = b.grow(b.local[p], b.of(x))
			}
		}
	}
}

func (b *bounds) assign(e *program.Assign) {
	b.insert(e.X)
	if e.X.Type() != program.String {
		return
	}
	n := b.of(e.Y)
	if e.Op == "." {
		n += b.of(e.X)
	}
	switch x := e.X.(type) {
	case *program.LocalRef:
		b.local[x.Local] = b.grow(b.local[x.Local], n)
	case *program.Element:
		b.value[x.Array] = b.grow(b.value[x.Array], n)
	}
}

// insert adds the keys of an element that is written to the bounds.
func (b *bounds) insert(x program.Expr) {
	el, ok := x.(*program.Element)
	if !ok {
		return
	}
	for i, k := range el.Keys {
		if k.Type() == program.String {
			b.key[el.Array][i] = b.grow(b.key[el.Array][i], b.of(k))
		}
	}
}

// of returns the bound of a String expression.
func (b *bounds) of(e program.Expr) int {
	n := b.maxLen
	switch e := e.(type) {
	case *program.Text:
		n = len(e.Value)
	case *program.LocalRef:
		n = b.local[e.Local]
	case *program.Element:
		n = b.value[e.Array]
	case *program.Call:
		n = b.result[e.Fn]
		if inlineName(e.Fn) == "substr" {
			n = b.substr(e)
		}
	case *program.Concat:
		n = b.of(e.X) + b.of(e.Y)
	case *program.Cond:
		n = max(b.of(e.Then), b.of(e.Else))
	case *program.Assign:
		n = b.of(e.Y)
		if e.Op == "." {
			n += b.of(e.X)
		}
	case *program.Print:
		n = b.print(e)
	}
	return min(n, b.maxLen)
}

// substr is the bound of a call of substr().
func (b *bounds) substr(e *program.Call) int {
	n := b.of(e.Args[0])
	if length, ok := e.Args[2].(*program.Number); ok && length.Value < int64(n) {
		n = int(max(length.Value, 0))
	}
	return n
}

// print is the bound of sprintf and similar functions.
func (b *bounds) print(e *program.Print) int {
	dirs, err := format.Parse(e.Format)
	if err != nil {
		return b.maxLen
	}
	n, arg := 0, 0
	for i := range dirs {
		d := &dirs[i]
		switch {
		case d.Verb == 0:
			n += len(d.Text)
		case d.WidthArg || d.PrecArg || d.Verb == 'm' || d.Verb == 'M' || arg >= len(e.Args):
			return b.maxLen
		case d.Verb == 's':
			one := b.of(e.Args[arg])
			if d.Sharp {
				one *= 4
			}
			n += max(one, d.Width)
		default:
			n += max(26, d.Width, d.Precision+3)
		}
		arg += len(d.Kinds(nil))
	}
	return max(n, len(e.Else))
}
