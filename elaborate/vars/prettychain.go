// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
)

// linked writes the first elements of a std::list: nodes that begin with the pointers to the next and to the previous one, before
// the value.
func (p *rendition) linked(l *location, levels int) bool {
	types := l.types.(*dwarf.Types)
	value := types.TypeParam(l.real(), "_Tp")
	first, d := l.number("_M_impl", "_M_node", "_M_next")
	n, also := l.number("_M_impl", "_M_node", "_M_size")
	if value == 0 || d != nil || also != nil {
		return false
	}
	p.chain(l, value, first, n, 16, levels) // nothing that is aligned to more than 16 bytes is looked at
	return true
}

// forward writes the first elements of a std::forward_list: nodes that begin with the pointer to the next, before the value; it has no
// number of elements.
func (p *rendition) forward(l *location, levels int) bool {
	value := l.types.(*dwarf.Types).TypeParam(l.real(), "_Tp")
	first, d := l.number("_M_impl", "_M_head", "_M_next")
	if value == 0 || d != nil {
		return false
	}
	if levels <= 0 {
		p.text("[...]")
		return true
	}
	p.text("[")
	p.rest(l, value, first, 0, levels)
	p.text("]")
	return true
}

// rest writes the elements of a std::forward_list from the i-th on, which is in node, if that is one.
func (p *rendition) rest(l *location, value btf.ID, node program.Expr, i, levels int) {
	p.when(node, func(q *rendition) {
		if i > 0 {
			q.text(", ")
		}
		if i == maxElements {
			q.text("...")
			return
		}
		q.readable(func(q *rendition) {
			q.readable(func(q *rendition) { q.show(l.inNode(value, node, 8), levels-1) })
			q.rest(l, value, next(l, node), i+1, levels)
		})
	}, "")
}

// hashed writes the first elements of a std::unordered_map or std::unordered_set, which are a list in the order of their buckets: a node
// begins with the pointer to the next, and has its value where the value's alignment lets it, before the hash if that is kept.
func (p *rendition) hashed(l *location, levels int) bool {
	types := l.types.(*dwarf.Types)
	name := types.Name(l.real())
	if !strings.HasPrefix(name, "unordered_map<") && !strings.HasPrefix(name, "unordered_set<") {
		return false
	}
	value := hashedValue(types, l)
	first, d := l.number("_M_h", "_M_before_begin", "_M_nxt")
	n, also := l.number("_M_h", "_M_element_count")
	if value == 0 || d != nil || also != nil {
		return false
	}
	p.chain(l, value, first, n, 8, levels) // nothing that is aligned to more than 8 bytes is looked at
	return true
}

// hashedValue returns the type of an unordered container's values: std::_Hashtable's second parameter.
func hashedValue(types *dwarf.Types, l *location) btf.ID {
	table, d := l.part("_M_h")
	if d != nil {
		return 0
	}
	return types.TypeParam(table.real(), "_Value")
}

// chain writes the first of n values of type value, each in a node that begins with the pointer to the next one, at offset bytes.
func (p *rendition) chain(l *location, value btf.ID, first, n program.Expr, offset int64, levels int) {
	node := []program.Expr{first}
	p.elements(n, levels, func(i int64) *location {
		for int64(len(node)) <= i {
			node = append(node, next(l, node[len(node)-1]))
		}
		return l.inNode(value, node[i], offset)
	})
}

// next returns the pointer that node, of a container l, begins with.
func next(l *location, node program.Expr) program.Expr {
	return &program.Deref{At: l.at, Addr: node, Size: 8, User: true}
}

// inNode returns the location of a value at offset bytes in a node of the container l.
func (l *location) inNode(value btf.ID, node program.Expr, offset int64) *location {
	return &location{types: l.types, full: l.full, at: l.at, what: l.what, typ: value, addr: node, pos: 8 * offset, user: true}
}
