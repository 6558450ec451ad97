// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strings"

	"gostap/translator/program"
)

// emitHandler writes the C function of one handler: locks, code, unlocks.
func (g *gen) emitHandler(h *handler) {
	g.pos = h.probe.At
	f := &cFunc{name: h.name}
	g.roots = append(g.roots, f)
	b := g.newBody(f, h.phase == running && !h.cold)
	b.counts = g.counts(h.sum)
	b.layoutSaved(h.probe)
	b.locked = h.part != bodyPart || !g.leavesLocks(h.probe.Body, h.probe.Cond)
	if h.part == bodyPart && g.heads[h.probe].shared {
		b.row = &row{}
	}
	b.handlerCode(h)
	code := b.writer
	b.writer = &writer{indent: 1}
	var unlock []unlocking
	if b.locked {
		unlock = b.lock(h)
	}

	w := &g.bodies
	start := w.Len()
	w.line("")
	w.at(h.probe.At)
	ret := "void"
	if h.part == condPart {
		ret = "int"
	}
	w.line("SHARED %s %s(struct gs_ctx *c)", ret, h.name)
	w.line("{")
	w.indent++
	if b.frameUse {
		w.line("char *f = c->frame;")
	}
	if h.part == condPart {
		w.line("int armed = 0;")
	}
	if b.counts || g.callsCounting(h.sum) {
		g.setActions(w, h)
	}
	if h.phase == running && (h.sum.arrays || b.drains) {
		w.line("c->steps = %d;", g.opts.Limits.steps())
	}
	b.declare(w, nil)
	w.indent--
	w.Write(b.writer.Bytes())
	w.Write(code.Bytes())
	b.leave(w, h, unlock)
	switch {
	case h.part == condPart:
		w.line("return armed;")
	case h.part == entryPart && h.readsPoint():
		w.line("c->entering = 0;")
		fallthrough
	default:
		w.line("return;")
	}
	w.indent--
	w.line("}")
	g.splitHead(h, b, start)
	g.share(f, start)
	g.apart(start, fmt.Sprintf("SHARED %s %s(struct gs_ctx *c);", ret, f.name))
}

// readsPoint reports whether a handler may read the kind of its probe point. Only functions do.
func (h *handler) readsPoint() bool { return len(h.sum.calls) > 0 }

// leave writes the end of a handler.
func (b *body) leave(w *writer, h *handler, unlock []unlocking) {
	if b.used["out"] {
		w.line("out:%s", unused)
	}
	w.indent++
	if b.locked {
		b.g.leaveMaps(w, h, b)
	}
	for i := len(unlock) - 1; i >= 0; i-- {
		w.line("%s", unlock[i].text)
		if unlock[i].label != "" {
			w.indent--
			w.line("%s:%s", unlock[i].label, unused)
			w.indent++
		}
	}
}

// share makes a handler whose C, written from start on, equals that of another handler an alias of it,
// so that it is compiled once. This is common for aliases whose variables the script does not read.
func (g *gen) share(f *cFunc, start int) {
	text := strings.ReplaceAll(string(g.bodies.Bytes()[start:]), f.name, "@")
	if text == "" { // there is only a head
		return
	}
	same := g.shared[text]
	if same == nil {
		g.shared[text] = f
		return
	}
	g.bodies.Truncate(start)
	g.aliases.line("#define %s %s", f.name, same.name)
	g.roots[len(g.roots)-1] = same
}

func (b *body) handlerCode(h *handler) {
	pr := h.probe
	switch h.part {
	case bodyPart:
		if b.g.keeps {
			b.line("c->match.ngroups = 0;")
		}
		if b.g.tokenizes {
			b.line("c->tokens = NULL;")
		}
		if pr.Cond != nil {
			b.at(pr.Cond.Pos())
			v := b.expr(pr.Cond)
			b.used["out"] = true
			b.line("if (!%s)", v.c)
			b.line("\tgoto out;")
		}
		b.stmts(pr.Body)
	case entryPart:
		if h.readsPoint() {
			b.line("c->entering = 1;")
		}
		for i, x := range pr.Saved {
			b.at(x.Pos())
			v := b.expr(x)
			off := b.saved[i]
			if x.Type() == program.String {
				b.line("c->saved[%d] = gs_put((char *)&c->saved[%d], %d, %s).len;", off, off+1, b.g.bounds.of(x)+1, v.c)
			} else {
				b.line("c->saved[%d] = %s;", off, v.c)
			}
		}
	case condPart:
		b.at(pr.Cond.Pos())
		v := b.expr(pr.Cond)
		b.line("armed = %s != 0;", v.c)
	}
}

// layoutSaved assigns the offsets of SavedValues in c->saved, in units of 8 bytes.
func (b *body) layoutSaved(pr *program.Probe) {
	b.saved, _ = b.g.savedLayout(pr)
}

func (g *gen) savedLayout(pr *program.Probe) (offsets []int, total int) {
	for _, x := range pr.Saved {
		offsets = append(offsets, total)
		total++
		if x.Type() == program.String {
			total += (g.bounds.of(x) + 1 + 7) / 8
		}
	}
	return offsets, total
}

// An unlocking is the release of one lock; label is where to jump if the next lock could not be taken.
type unlocking struct{ text, label string }

// lock takes the locks that h needs, in the order of the groups. Handlers that run before or after all
// others need none.
func (b *body) lock(h *handler) []unlocking {
	var undo []unlocking
	var drains []*group
	fail := "return"
	if h.part == condPart {
		fail = "return -1"
	}
	for _, gr := range b.g.groups {
		touches, exclusive := gr.uses(h)
		if !touches {
			continue
		}
		if h.phase != running {
			if gr.sharded && h.phase == ending {
				drains = append(drains, gr)
			}
			continue
		}
		take, release := gr.locking(b.hot, exclusive)
		target, label := fail, ""
		if len(undo) > 0 {
			label = fmt.Sprintf("unlock%d", gr.n)
			target = "goto " + label
		}
		b.line("if (!%s)", take)
		b.line("\t%s;", target)
		undo = append(undo, unlocking{release, label})
		if gr.sharded && b.hot {
			b.shards[gr] = true
		}
		if gr.sharded && !b.hot {
			drains = append(drains, gr)
		}
	}
	for _, gr := range drains { // which may fail, so only when all locks are held
		b.drain(gr)
	}
	return undo
}

// locking returns the C text that takes and releases a group's lock.
func (gr *group) locking(hot, exclusive bool) (take, release string) {
	switch {
	case gr.sharded && hot:
		return fmt.Sprintf("gs_write_lock(c, &shard%d->lock)", gr.n), fmt.Sprintf("gs_write_unlock(&shard%d->lock);", gr.n)
	case gr.sharded:
		return fmt.Sprintf("gs_lock_shards(c, &shards%d)", gr.n), fmt.Sprintf("gs_unlock_shards(&shards%d);", gr.n)
	case exclusive:
		return fmt.Sprintf("gs_write_lock(c, &lock%d)", gr.n), fmt.Sprintf("gs_write_unlock(&lock%d);", gr.n)
	}
	return fmt.Sprintf("gs_read_lock(c, &lock%d)", gr.n), fmt.Sprintf("gs_read_unlock(&lock%d);", gr.n)
}

// drain joins a group's shards to its main instance.
func (b *body) drain(gr *group) {
	b.drains = true
	b.line("drain%d(c);", gr.n)
	b.used["out"] = true
	b.line("if (gs_unlikely(c->error))")
	b.line("\tgoto out;")
}

// leaveMaps ends the walks that an error, next or return has left active.
func (g *gen) leaveMaps(w *writer, h *handler, b *body) {
	for _, gl := range g.p.Globals {
		if g.isSharded(gl) && b.hot {
			continue
		}
		if g.deletedInLoops()[gl] && h.sum.usage[gl]&modifies != 0 {
			w.line("gs_map_leave(&%s, 0);", b.global(gl))
		}
	}
}

// deletedInLoops are the arrays whose elements may be deleted in a foreach over them.
func (g *gen) deletedInLoops() map[*program.Global]bool {
	if g.inLoops == nil {
		g.inLoops = map[*program.Global]bool{}
		v := visitor{
			expr: func(program.Expr, bool) {},
			enter: func(s program.Stmt) {
				if f, ok := s.(*program.Foreach); ok && g.a.modifies(f.Body, f.Array, g.p) {
					g.inLoops[f.Array] = true
				}
			},
		}
		for _, fn := range g.p.Functions {
			v.stmts(fn.Body)
		}
		for _, pr := range g.p.Probes {
			v.stmts(pr.Body)
		}
	}
	return g.inLoops
}
