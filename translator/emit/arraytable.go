// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"slices"
	"strings"

	"gostap/translator/program"
)

// arrays are the globals that are arrays, in the order of the table that the runtime gets.
func (g *gen) arrays() []*program.Global {
	return slices.DeleteFunc(slices.Clone(g.p.Globals), func(gl *program.Global) bool { return gl.Keys == nil })
}

func (g *gen) arrayIndex(gl *program.Global) int { return slices.Index(g.arrays(), gl) }

// declareArrays declares the table before the functions that it refers to, and which refer to it.
func (g *gen) declareArrays(w *writer) {
	if n := len(g.arrays()); n > 0 {
		w.line("")
		w.line("SHARED const struct gs_array arrays[%d];", n)
	}
}

// arrayTable writes the runtime's descriptions of arrays and shards.
func (g *gen) arrayTable(w *writer) {
	g.joinFuncs(w)
	if arrays := g.arrays(); len(arrays) > 0 {
		w.line("")
		w.open("SHARED const struct gs_array arrays[%d] = {", len(arrays))
		for _, gl := range arrays {
			name, shards := g.names[gl], ""
			if g.isSharded(gl) {
				n := g.groupOf[gl].n
				shards = fmt.Sprintf(", &shards%d, __builtin_offsetof(struct group%d, g_%s), same_keys%d, join_%s, %s", n, n, name, g.keySet(gl).n, name,
					g.near(fmt.Sprintf("identifier '%s'", gl.Name), gl.At))
			}
			w.line("{ &%s, sizeof(struct node_%s), %d, %s, %s%s },", g.mainInstance(gl), name, g.entries(gl), boolText(gl.Wrap),
				cString(g.overflowText(gl)), shards)
		}
		w.close("};")
	}
	if shards := g.shards(); len(shards) > 0 {
		w.line("")
		w.line("static struct gs_shards *const shards[] = { %s };", strings.Join(shards, ", "))
	}
}

// shards are the addresses of the sharded groups' instances.
func (g *gen) shards() []string {
	var list []string
	for _, gr := range g.groups {
		if gr.sharded {
			list = append(list, fmt.Sprintf("&shards%d", gr.n))
		}
	}
	return list
}

// joinFuncs writes the functions that compare and add up elements of sharded arrays.
func (g *gen) joinFuncs(w *writer) {
	written := map[*keySet]bool{}
	for _, gl := range g.arrays() {
		if !g.isSharded(gl) {
			continue
		}
		if k := g.keySet(gl); !written[k] {
			written[k] = true
			k.writeSame(w)
		}
		name := g.names[gl]
		w.line("")
		w.line("static void join_%s(struct gs_node *to, const struct gs_node *from)", name)
		w.open("{")
		w.line("struct node_%s *x = (void *)to;", name)
		w.line("const struct node_%s *y = (const void *)from;", name)
		w.line("")
		if gl.Type == program.Stat {
			w.line("merge_%s(&x->v, &y->v);", name)
		} else {
			w.line("x->v += y->v;")
		}
		w.close("}")
	}
}
