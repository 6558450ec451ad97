// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "strings"

// isPrint reports whether name is one of the print family.
func isPrint(name string) bool {
	if name[0] == 's' {
		name = name[1:]
	}
	if !strings.HasPrefix(name, "print") {
		return false
	}
	switch name[len("print"):] {
	case "", "ln", "d", "dln", "f":
		return true
	}
	return false
}

// print parses the arguments of name, a function of the print family.
func (p *parser) print(name string, at Pos) Expr {
	x := p.prints.new()
	x.At, x.Name = at, name
	if p.tok.kind != tLParen {
		p.fail("", "'(' after '%s'", name)
	}
	p.next()
	family := strings.TrimPrefix(name, "s")
	switch family {
	case "printf":
		x.Format = p.quoted("a literal format string")
		p.checkFormat(x)
	case "printd", "printdln":
		x.Delim = p.quoted("a literal string as the delimiter")
	}
	if family == "printf" || family == "printd" || family == "printdln" {
		if p.tok.kind != tComma && p.tok.kind != tRParen {
			p.fail("", "',' or ')' after the literal")
		}
		p.got(tComma)
	} else {
		p.printed = p.tok.pos
	}
	x.Args = p.args()
	switch {
	case family == "print" && len(x.Args) == 0:
		p.errorf(at, "'%s' takes at least one argument", name).InStap("expected literal string or number")
	case (family == "printd" || family == "printdln") && len(x.Args) < 2:
		d := p.errorf(at, "'%s' takes a delimiter and at least two values", name).InStap("expected literal string or number")
		if len(x.Args) == 1 {
			d.InStap("expected one of ', )'")
		}
	}
	return x
}
