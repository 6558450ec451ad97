// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strings"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// keyTexts evaluates an element's keys. effects is set if variables may change before the keys are
// used.
func (b *body) keyTexts(x *program.Element, effects bool) []string {
	var texts []string
	for _, v := range b.values(x.Keys, effects) {
		texts = append(texts, v.c)
	}
	for i, k := range x.Keys {
		if effects && k.Type() == program.Long && !isConstant(k) {
			t := b.temp()
			b.line("gs_s64 %s = %s;", t, texts[i])
			texts[i] = t
		}
	}
	return texts
}

func isConstant(e program.Expr) bool {
	_, ok := e.(*program.Number)
	return ok
}

// find writes a lookup of x; the result is the C variable of its node, or NULL.
func (b *body) find(g *program.Global, keys []string) string {
	t := b.temp()
	b.line("struct node_%s *%s = get_keys%d(&%s, %s);", b.g.names[g], t, b.g.keySet(g).n, b.global(g), strings.Join(keys, ", "))
	return t
}

// put writes a lookup of x that inserts it if it does not exist.
func (b *body) put(x *program.Element, keys []string) string {
	t := b.temp()
	b.line("struct node_%s *%s = put_keys%d(c, &arrays[%d], &%s, %s, %s);", b.g.names[x.Array], t, b.g.keySet(x.Array).n,
		b.g.arrayIndex(x.Array), b.global(x.Array), strings.Join(keys, ", "), b.g.near(fmt.Sprintf("identifier '%s'", x.Array.Name), x.At))
	b.line("if (gs_unlikely(!%s))", t)
	b.line("\t%s;", b.fail())
	return t
}

// element reads an element: 0 or "" if it does not exist.
func (b *body) element(x *program.Element) value {
	t := b.find(x.Array, b.keyTexts(x, false))
	if x.Array.Type == program.Long {
		return value{fmt.Sprintf("(%s ? %s->v : 0)", t, t), volatile}
	}
	v := value{fmt.Sprintf("(%s ? GS_STR(%s->v) : GS_LIT(\"\"))", t, t), volatile}
	return b.materialized(v, x, x.Array.Wrap)
}

// sliceKeys evaluates the keys of a slice; "" stands for *. The result is nil if there is no slice.
func (b *body) sliceKeys(keys []program.Expr) []string {
	if keys == nil {
		return nil
	}
	vs := b.values(keysOf(keys), true)
	texts := make([]string, len(keys))
	for i, k := range keys {
		if k == nil {
			continue
		}
		texts[i] = b.temp()
		b.line("%s %s = %s;", cType(k.Type()), texts[i], vs[0].c)
		vs = vs[1:]
	}
	return texts
}

// matches returns the C condition that node matches a slice; "" if all nodes do.
func (b *body) matches(g *program.Global, slice []string, node string) string {
	var conds []string
	for i, k := range slice {
		if k == "" {
			continue
		}
		if g.Keys[i] == program.String {
			conds = append(conds, fmt.Sprintf("gs_str_eq(GS_STR(%s->k%d), %s)", node, i+1, k))
		} else {
			conds = append(conds, fmt.Sprintf("%s->k%d == %s", node, i+1, k))
		}
	}
	return strings.Join(conds, " && ")
}

func hasStar(keys []program.Expr) bool {
	for _, k := range keys {
		if k == nil {
			return true
		}
	}
	return false
}

// eachMatch writes a loop over the elements that match keys; do writes the loop's body, given the C
// variable of the node.
func (b *body) eachMatch(g *program.Global, keys []program.Expr, at syntax.Pos, do func(node string)) {
	slice := b.sliceKeys(keys)
	b.work(b.global(g)+".count", b.g.near(fmt.Sprintf("identifier '%s'", g.Name), at))
	n, node := b.temp(), b.temp()
	b.line("struct gs_node *%s, *%s_next;", n, n)
	b.open("for (%s = %s.order.next; %s != &%s.order; %s = %s_next) {", n, b.global(g), n, b.global(g), n, n)
	b.line("struct node_%s *%s = (struct node_%s *)%s;", b.g.names[g], node, b.g.names[g], n)
	b.line("%s_next = %s->next;", n, n)
	b.skipDead(g, n)
	b.skipUnless(b.matches(g, slice, node))
	do(node)
	b.close("}")
}

func (b *body) in(e *program.In) value {
	if !hasStar(e.Keys) {
		t := b.find(e.Array, b.keyTexts(&program.Element{At: e.At, Array: e.Array, Keys: e.Keys}, false))
		return temporaryValue("(%s != NULL)", t)
	}
	found := b.temp()
	b.line("gs_s64 %s = 0;", found)
	b.eachMatch(e.Array, e.Keys, e.At, func(node string) {
		b.line("(void)%s;", node)
		b.line("%s = 1;", found)
		b.line("break;")
	})
	return temporaryValue(found)
}

func (b *body) deleteElement(x *program.Element) {
	array := b.global(x.Array)
	if hasStar(x.Keys) {
		b.eachMatch(x.Array, x.Keys, x.At, func(node string) {
			b.line("gs_map_delete(&%s, &%s->node);", array, node)
		})
		return
	}
	t := b.find(x.Array, b.keyTexts(x, false))
	b.line("if (%s)", t)
	b.line("\tgs_map_delete(&%s, &%s->node);", array, t)
}
