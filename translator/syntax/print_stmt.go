// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

func (p *printer) newline() {
	p.write("\n")
	for range p.depth {
		p.write(indentation)
	}
}

func (p *printer) block(b *Block) {
	if len(b.Stmts) == 0 {
		p.write("{}")
		return
	}
	p.write("{")
	p.depth++
	for _, s := range b.Stmts {
		p.newline()
		p.stmt(s)
	}
	p.depth--
	p.newline()
	p.write("}")
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Block:
		p.block(s)
	case *EmptyStmt:
		p.write(";")
	case *ExprStmt:
		p.expr(s.X, precAssign)
		p.write(";")
	case *IfStmt:
		p.ifStmt(s)
	case *ForStmt:
		p.forStmt(s)
	case *ForeachStmt:
		p.foreach(s)
	case *BreakStmt:
		p.write("break;")
	case *ContinueStmt:
		p.write("continue;")
	case *NextStmt:
		p.write("next;")
	case *ReturnStmt:
		p.write("return")
		if s.X != nil {
			p.write(" ")
			p.expr(s.X, precAssign)
		}
		p.write(";")
	case *DeleteStmt:
		p.write("delete ")
		p.expr(s.X, precAssign)
		p.write(";")
	case *TryStmt:
		p.write("try ")
		p.block(s.Body)
		p.write(" catch ")
		if s.Msg != nil {
			p.write("(", s.Msg.Name, ") ")
		}
		p.block(s.Catch)
	}
}

// body writes the statement of an if or a loop.
func (p *printer) body(s Stmt) {
	if b, ok := s.(*Block); ok {
		p.write(" ")
		p.block(b)
		return
	}
	p.depth++
	p.newline()
	p.stmt(s)
	p.depth--
}

func (p *printer) ifStmt(s *IfStmt) {
	for {
		p.write("if (")
		p.expr(s.Cond, precAssign)
		p.write(")")
		p.body(s.Then)
		if s.Else == nil {
			return
		}
		if _, ok := s.Then.(*Block); ok {
			p.write(" else")
		} else {
			p.newline()
			p.write("else")
		}
		next, ok := s.Else.(*IfStmt)
		if !ok {
			p.body(s.Else)
			return
		}
		p.write(" ")
		s = next
	}
}

func (p *printer) forStmt(s *ForStmt) {
	if s.Init == nil && s.Post == nil && s.Cond != nil {
		p.write("while (")
		p.expr(s.Cond, precAssign)
	} else {
		p.write("for (")
		p.optional(s.Init, "")
		p.write(";")
		p.optional(s.Cond, " ")
		p.write(";")
		p.optional(s.Post, " ")
	}
	p.write(")")
	p.body(s.Body)
}

// optional writes x with space before it, or nothing.
func (p *printer) optional(x Expr, space string) {
	if x != nil {
		p.write(space)
		p.expr(x, precAssign)
	}
}

func (p *printer) foreach(s *ForeachStmt) {
	p.write("foreach (")
	if s.Value != nil {
		p.write(s.Value.Name, " = ")
	}
	p.write("[")
	for i, k := range s.Keys {
		if i > 0 {
			p.write(", ")
		}
		p.write(k.Name)
		p.direction(s, i+1)
	}
	p.write("] in ")
	p.expr(s.Array, precUnary)
	if s.Slice != nil {
		p.index(s.Slice)
	}
	if s.SortStat != "" {
		p.write(" @", s.SortStat)
	}
	p.direction(s, 0)
	if s.Limit != nil {
		p.write(" limit ")
		p.expr(s.Limit, precAssign)
	}
	p.write(")")
	p.body(s.Body)
}

// direction writes + or - if the loop sorts by key.
func (p *printer) direction(s *ForeachStmt, key int) {
	switch {
	case s.SortDir == 0 || s.SortKey != key:
	case s.SortDir > 0:
		p.write("+")
	default:
		p.write("-")
	}
}
