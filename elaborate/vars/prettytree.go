// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"strings"

	"gostap/elaborate/dwarf"
	"gostap/translator/program"
)

// tree writes the first elements of a std::map, std::set, std::multimap or std::multiset: nodes of a red-black tree, which begin
// with the color and three pointers, and are found by a function of the tapset library.
func (p *rendition) tree(l *location, levels int) bool {
	types := l.types.(*dwarf.Types)
	name, _, _ := strings.Cut(types.Name(l.real()), "<")
	switch name {
	case "map", "set", "multimap", "multiset":
	default:
		return false
	}
	tree, d := l.part("_M_t")
	if d != nil {
		return false
	}
	value := types.TypeParam(tree.real(), "_Val")
	first, d := tree.number("_M_impl", "_M_header", "_M_left")
	n, also := tree.number("_M_impl", "_M_node_count")
	if value == 0 || d != nil || also != nil {
		return false
	}
	if levels <= 0 {
		p.text("[...]")
		return true
	}
	p.text("[")
	p.list(n, maxElements, func(q *rendition, i int64) {
		node := q.r.call("__tree_node", first, &program.Number{At: l.at, Value: i})
		q.when(node, func(q *rendition) {
			const links = 32 // bytes
			q.show(l.inNode(value, node, links), levels-1)
		}, "...")
	})
	p.text("]")
	return true
}
