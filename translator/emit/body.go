// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"sort"
	"strings"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A body writes the inside of one C function.
type body struct {
	*writer
	g   *gen
	f   *cFunc            // the function being written; its frame grows
	fn  *program.Function // nil in handlers
	hot bool

	counts   bool   // counts actions
	drains   bool   // joins shards at its beginning
	locked   bool   // the locks are held where a tail is called
	tail     *cFunc // the tail that is called
	row      *row   // the constants by which the handler differs from others of the same C; nil if there are none
	locals   map[*program.Local]*localVar
	cursors  map[*program.Cursor]string // the C variable of the node
	temps    int
	labels   int
	errors   []string // labels for errors, innermost last
	used     map[string]bool
	loops    []loop
	sorted   map[*program.Global]int // the number of active sorted loops
	shards   map[*group]bool         // shards that this function uses
	frameUse bool
	tries    int      // the number of try blocks around
	saved    []int    // offsets of SavedValues in c->saved, in bytes
	passOn   []string // the arguments that `next` passes on
}

// A localVar is a local as a C variable.
type localVar struct {
	name string
	slot int // offset of a string's bytes in the frame; -1 if it has none yet
}

// A loop is a loop around the current statement.
type loop struct {
	next  string // label of continue; "" for C's own continue
	walks string // "" or the map that a foreach whose elements may be deleted iterates over
	under string // the variable with the map's number of walks before the loop
}

func (g *gen) newBody(f *cFunc, hot bool) *body {
	return &body{
		writer:  &writer{indent: 1},
		g:       g,
		f:       f,
		fn:      f.fn,
		hot:     hot,
		locals:  map[*program.Local]*localVar{},
		cursors: map[*program.Cursor]string{},
		used:    map[string]bool{},
		sorted:  map[*program.Global]int{},
		shards:  map[*group]bool{},
		errors:  []string{"out"},
	}
}

// temp returns the name of a new variable.
func (b *body) temp() string {
	b.temps++
	return fmt.Sprintf("t%d", b.temps)
}

func (b *body) label(prefix string) string {
	b.labels++
	return fmt.Sprintf("%s%d", prefix, b.labels)
}

// buffered runs f and returns what it writes instead of writing it.
func (b *body) buffered(f func()) string {
	outer := b.writer
	b.writer = &writer{indent: outer.indent}
	f()
	text := b.writer.String()
	b.writer = outer
	return text
}

// fail returns the C statement by which an error leaves.
func (b *body) fail() string {
	label := b.errors[len(b.errors)-1]
	b.used[label] = true
	return "goto " + label
}

// check writes a jump that is taken if an error has been raised.
func (b *body) check() {
	b.line("if (gs_unlikely(c->error))")
	b.line("\t%s;", b.fail())
}

// raise writes a check that raises an error and leaves if cond is true.
func (b *body) raise(cond, text, near string) {
	b.open("if (gs_unlikely(%s)) {", cond)
	b.line("gs_raise(c, %s, %s);", text, near)
	b.line("%s;", b.fail())
	b.close("}")
}

// near returns the end of an error's message as a C string: thing and its position in the script. With
// AsStap, thing is the token at the position, as in SystemTap.
func (g *gen) near(thing string, pos syntax.Pos) string {
	if token := syntax.TokenAt(pos); g.opts.AsStap && token != "" {
		thing = token
	}
	return cString(fmt.Sprintf("near %s at %s", thing, scriptPos(pos)))
}

// slot reserves n bytes of the frame and returns the C text of their address.
func (b *body) slot(n int) string {
	return b.at8(b.reserve(n))
}

func (b *body) reserve(n int) int {
	off := b.f.frame
	b.f.frame += (n + 7) &^ 7
	return off
}

func (b *body) at8(off int) string {
	b.frameUse = true
	if off == 0 {
		return "f"
	}
	return fmt.Sprintf("f + %d", off)
}

// frameAfter is the C text of the frame of a function that is called here.
func (b *body) frameAfter() string {
	b.frameUse = true
	return fmt.Sprintf("f + FRAME_%s", b.f.name)
}

func (b *body) local(l *program.Local) *localVar {
	v := b.locals[l]
	if v == nil {
		name := "l_" + cName(l.Name)
		for _, other := range b.locals {
			if other.name == name {
				name = fmt.Sprintf("%s_%d", name, len(b.locals))
			}
		}
		v = &localVar{name: name, slot: -1}
		b.locals[l] = v
	}
	return v
}

// global returns the C text of a global: a scalar, a statistic or a gs_map.
func (b *body) global(g *program.Global) string {
	gr := b.g.groupOf[g]
	name := "g_" + b.g.names[g]
	if gr == nil || !gr.sharded {
		return name
	}
	if b.hot {
		b.shards[gr] = true
		return fmt.Sprintf("shard%d->%s", gr.n, name)
	}
	return fmt.Sprintf("main%d.%s", gr.n, name)
}

// declare writes the variables of the function, before its body.
func (b *body) declare(w *writer, params map[*program.Local]bool) {
	var ls []*program.Local
	for l := range b.locals {
		if !params[l] {
			ls = append(ls, l)
		}
	}
	sort.Slice(ls, func(i, j int) bool { return b.locals[ls[i]].name < b.locals[ls[j]].name })
	for _, l := range ls {
		if l.Type == program.String {
			w.line("struct gs_str %s = GS_LIT(\"\");", b.locals[l].name)
		} else {
			w.line("gs_s64 %s = 0;", b.locals[l].name)
		}
	}
	if b.counts {
		w.line("long actions = c->actions;")
	}
	var groups []*group
	for gr := range b.shards {
		groups = append(groups, gr)
	}
	sort.Slice(groups, func(i, j int) bool { return groups[i].n < groups[j].n })
	for _, gr := range groups {
		w.line("struct group%d *shard%d = (struct group%d *)shards%d.first + c->cpu;", gr.n, gr.n, gr.n, gr.n)
	}
}

// result is the C expression that a function with a result of type t returns after an error.
func result(t program.Type) string {
	switch t {
	case program.String:
		return " GS_LIT(\"\")"
	case program.Void:
		return ""
	}
	return " 0"
}

func cType(t program.Type) string {
	switch t {
	case program.String:
		return "struct gs_str"
	case program.Void:
		return "void"
	}
	return "gs_s64"
}

// params is the C text of a function's parameters; embedded C has no frame.
func params(fn *program.Function, frame bool, name func(*program.Local) string) string {
	list := []string{"struct gs_ctx *c"}
	if frame {
		list = append(list, "char *f")
	}
	if fn.Result == program.String {
		list = append(list, "char *ret")
	}
	for _, p := range fn.Params {
		list = append(list, cType(p.Type)+" "+name(p))
	}
	return strings.Join(list, ", ")
}

// unused is the attribute of variables and functions that may be unused.
const unused = "__attribute__((unused))"
