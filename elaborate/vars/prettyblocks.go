// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"gostap/elaborate/dwarf"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// blocks writes the first elements of a std::deque: a table of pointers to blocks of 512 bytes, or of one element if it is larger, and
// iterators at the first element and behind the last.
func (p *rendition) blocks(l *location, levels int) bool {
	value := l.types.(*dwarf.Types).TypeParam(l.real(), "_Tp")
	size := l.types.Size(value)
	start, d := iteratorOf(l, "_M_start")
	finish, also := iteratorOf(l, "_M_finish")
	if size == 0 || d != nil || also != nil {
		return false
	}
	block := max(512/size, 1) * size // bytes
	op := func(x program.Expr, op string, y program.Expr) program.Expr {
		return &program.Binary{At: l.at, Op: op, X: x, Y: y}
	}
	number := func(n int64) program.Expr { return &program.Number{At: l.at, Value: n} }

	before := op(start.cur, "-", start.first) // bytes of the first block that are not in use
	whole := op(op(op(finish.node, "-", start.node), "/", number(8)), "*", number(block))
	n := op(op(op(whole, "+", op(finish.cur, "-", finish.first)), "-", before), "/", number(size))
	p.elements(n, levels, func(i int64) *location {
		offset := op(before, "+", number(i*size))
		entry := op(start.node, "+", op(op(offset, "/", number(block)), "*", number(8)))
		in := op(next(l, entry), "+", op(offset, "%", number(block)))
		return l.inNode(value, in, 0)
	})
	return true
}

// An iterator of a std::deque: an element, the beginning of its block, and the block's place in the table.
type iterator struct{ cur, first, node program.Expr }

func iteratorOf(l *location, name string) (i iterator, d *syntax.Diagnostic) {
	for _, part := range []struct {
		name string
		of   *program.Expr
	}{{"_M_cur", &i.cur}, {"_M_first", &i.first}, {"_M_node", &i.node}} {
		if *part.of, d = l.number("_M_impl", name, part.name); d != nil {
			return i, d
		}
	}
	return i, nil
}
