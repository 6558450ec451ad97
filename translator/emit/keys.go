// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"slices"
	"strings"

	"gostap/translator/program"
)

// A keySet is the C representation of arrays' keys: a node begins with a struct gs_node and these
// fields. Arrays with the same representation share the functions that find and insert elements.
type keySet struct {
	n     int
	types []string // C types of the fields k1, k2 …
}

// keySets are those of all arrays, without duplicates.
func (g *gen) keySets() []*keySet {
	if g.keys == nil {
		for _, gl := range g.arrays() {
			types := g.keyTypes(gl)
			if !slices.ContainsFunc(g.keys, func(k *keySet) bool { return slices.Equal(k.types, types) }) {
				g.keys = append(g.keys, &keySet{len(g.keys), types})
			}
		}
	}
	return g.keys
}

// keySet returns the one of gl.
func (g *gen) keySet(gl *program.Global) *keySet {
	types := g.keyTypes(gl)
	sets := g.keySets()
	return sets[slices.IndexFunc(sets, func(k *keySet) bool { return slices.Equal(k.types, types) })]
}

func (g *gen) keyTypes(gl *program.Global) []string {
	var types []string
	for i, t := range gl.Keys {
		types = append(types, g.field(t, g.bounds.key[gl][i]))
	}
	return types
}

const longField = "gs_s64"

// fields writes the beginning of a node's struct.
func (k *keySet) fields(w *writer) {
	w.line("struct gs_node node;")
	for i, t := range k.types {
		w.line("%s k%d;", t, i+1)
	}
}

// write writes the functions that find and insert elements: get_keysN(map, k1, …) and put_keysN(c,
// array, map, k1, …, near) return a node or NULL.
func (k *keySet) write(w *writer) {
	var params, args []string
	var same []string // the conditions for two nodes to be equal
	hash, text := "0", false
	for i, t := range k.types {
		arg := fmt.Sprintf("k%d", i+1)
		args = append(args, arg)
		if t != longField {
			text = true
			params = append(params, "struct gs_str "+arg)
			hash = fmt.Sprintf("gs_hash_str(%s, %s)", hash, arg)
			same = append(same, fmt.Sprintf("gs_str_eq(GS_STR(n->%s), %s)", arg, arg))
			continue
		}
		mix := "gs_mix"
		if i == len(k.types)-1 {
			mix = "gs_hash_long"
		}
		params = append(params, "gs_s64 "+arg)
		hash = fmt.Sprintf("%s(%s, %s)", mix, hash, arg)
		same = append(same, fmt.Sprintf("n->%s == %s", arg, arg))
	}
	if text {
		same = append([]string{"n->node.hash == hash"}, same...) // avoids comparing most others
	}
	ps, as := strings.Join(params, ", "), strings.Join(args, ", ")

	w.line("")
	w.open("struct keys%d {", k.n)
	k.fields(w)
	w.close("};")

	w.line("")
	w.line("static %s gs_u32 hash_keys%d(%s)", unused, k.n, ps)
	w.open("{")
	w.line("return %s;", hash)
	w.close("}")

	w.line("")
	w.line("static %s void *find_keys%d(struct gs_map *m, gs_u32 hash, %s)", unused, k.n, ps)
	w.open("{")
	w.line("struct keys%d *n = (void *)m->table[hash & m->mask];", k.n)
	w.line("")
	w.line("for (; n; n = (void *)n->node.chain)")
	w.line("\tif (%s)", strings.Join(same, " && "))
	w.line("\t\tbreak;")
	w.line("return n;")
	w.close("}")

	w.line("")
	w.line("static %s void *get_keys%d(struct gs_map *m, %s)", unused, k.n, ps)
	w.open("{")
	w.line("return find_keys%d(m, hash_keys%d(%s), %s);", k.n, k.n, as, as)
	w.close("}")

	w.line("")
	w.line("static %s __attribute__((__noinline__)) void *add_keys%d(struct gs_ctx *c, const struct gs_array *a, struct gs_map *m, gs_u32 hash, %s, const char *near)", unused, k.n, ps)
	w.open("{")
	w.line("struct keys%d *n = (void *)gs_array_add(c, a, m, hash, near);", k.n)
	w.line("")
	w.line("if (!n)")
	w.line("\treturn NULL;")
	for i, t := range k.types {
		if t == longField {
			w.line("n->k%d = k%d;", i+1, i+1)
		} else {
			w.line("GS_SET(n->k%d, k%d);", i+1, i+1)
		}
	}
	w.line("return n;")
	w.close("}")

	w.line("")
	w.line("static %s void *put_keys%d(struct gs_ctx *c, const struct gs_array *a, struct gs_map *m, %s, const char *near)", unused, k.n, ps)
	w.open("{")
	w.line("gs_u32 hash = hash_keys%d(%s);", k.n, as)
	w.line("void *n = find_keys%d(m, hash, %s);", k.n, as)
	w.line("")
	w.line("return gs_likely(n != NULL) ? n : add_keys%d(c, a, m, hash, %s, near);", k.n, as)
	w.close("}")
}

// writeSame writes the function that compares the keys of two nodes with the same hash.
func (k *keySet) writeSame(w *writer) {
	var same []string
	for i, t := range k.types {
		if t == longField {
			same = append(same, fmt.Sprintf("x->k%d == y->k%d", i+1, i+1))
		} else {
			same = append(same, fmt.Sprintf("gs_str_eq(GS_STR(x->k%d), GS_STR(y->k%d))", i+1, i+1))
		}
	}
	w.line("")
	w.line("static int same_keys%d(const struct gs_node *a, const struct gs_node *b)", k.n)
	w.open("{")
	w.line("const struct keys%d *x = (const void *)a, *y = (const void *)b;", k.n)
	w.line("")
	w.line("return %s;", strings.Join(same, " && "))
	w.close("}")
}
