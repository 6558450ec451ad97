// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

// declaration parses one top-level declaration into f. After an error it skips to the next declaration.
func (p *parser) declaration(f *File) {
	start, told := p.tok.pos, len(p.diags)
	defer func() {
		p.diags[told:].markFurther()
	}()
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			p.depth, p.heads = 0, 0
			p.exprs, p.stmts = p.exprs[:0], p.stmts[:0]
			p.skipDeclaration(start)
		}
	}()
	switch p.tok.kind {
	case tProbe:
		p.probe(f)
	case tGlobal:
		p.next()
		p.globals(f, start, false)
	case tFunction:
		p.next()
		p.functionDecl(f, start, false)
	case tPrivate:
		p.private(f)
	case tEmbedded:
		f.Decls = append(f.Decls, &EmbeddedDecl{Code: p.embedded("embedded code")})
	default:
		hint := ""
		if p.tok.kind == tIdent {
			hint = didYouMean(p.tok.text, []string{"probe", "global", "private", "function"}, "")
		}
		if p.tok.kind == tRBrace {
			hint = "one closing brace too many?"
		}
		p.fail(hint, "'probe', 'function', 'global', 'private' or '%%{'")
	}
}

// skipDeclaration skips to a token that may begin a declaration.
func (p *parser) skipDeclaration(start Pos) {
	if p.tok.pos == start && p.tok.kind != tEOF {
		p.next()
	}
	for depth := 0; p.tok.kind != tEOF; {
		closed := false
		switch p.tok.kind {
		case tProbe, tGlobal, tFunction, tPrivate:
			// Within braces only at the beginning of a line, as a component of a probe point may have
			// such a name.
			if depth == 0 || p.tok.newline {
				return
			}
		case tLBrace:
			depth++
		case tRBrace:
			depth = max(depth-1, 0)
			closed = depth == 0
		}
		p.next()
		if closed && p.tok.newline {
			return
		}
	}
}

// embedded parses embedded C, if it is allowed here; stap is SystemTap's name for it.
func (p *parser) embedded(stap string) *EmbeddedC {
	c := &EmbeddedC{At: p.tok.pos, Text: p.tok.text}
	p.guruOnly("embedded C", stap+" in unprivileged script")
	p.next()
	return c
}

// guruOnly reports the current token as an error unless it is in the library or guru mode is on. It
// reports one error for each file, as all have the same cause. stap is SystemTap's complaint.
func (p *parser) guruOnly(what, stap string) {
	if p.env.Guru || p.tok.pos.Source.Origin != User || p.guruTold {
		return
	}
	p.guruTold = true
	p.errorf(p.tok.pos, "%s is allowed in guru mode only", what).InStap("%s; need stap -g", stap).Hint = "run the script with -g"
}

// private parses private global, private function and private name.
func (p *parser) private(f *File) {
	start := p.tok.pos
	p.next()
	switch p.tok.kind {
	case tFunction:
		p.next()
		p.functionDecl(f, start, true)
	case tGlobal:
		p.next()
		p.globals(f, start, true)
	case tIdent:
		p.globals(f, start, true)
	default:
		p.fail("", "'function', 'global' or a variable's name after 'private'")
	}
}

// globals parses the names of a global declaration.
func (p *parser) globals(f *File, start Pos, private bool) {
	for {
		g := &GlobalDecl{Private: private}
		g.Name, g.At = p.name("a global variable's name")
		for _, d := range f.Decls {
			if old, ok := d.(*GlobalDecl); ok && old.Name == g.Name && len(f.Decls) < 1000 {
				p.errorf(g.At, "the global '%s' is declared twice", g.Name).
					Hint = "first declared at " + old.At.String()
			}
		}
		g.Wrap = p.got(tMod)
		if p.tok.kind == tLBrack {
			p.arraySize(g)
		}
		if p.tok.kind == tAssign {
			if g.MaxSize != 0 {
				p.failAt(p.tok.pos, "an array can't have an initial value")
			}
			p.next()
			g.Init = p.literal("a number or a string as the initial value of '%s'", g.Name)
		}
		f.Decls = append(f.Decls, g)
		if !p.got(tComma) {
			break
		}
	}
	p.got(tSemi)
}

func (p *parser) arraySize(g *GlobalDecl) {
	p.next()
	pos := p.tok.pos
	n, ok := p.literal("the array's size").(*NumberLit)
	if !ok {
		p.failAt(pos, "expected a number as the array's size")
	}
	if n.Value <= 0 || n.Value > 1<<31-1 {
		p.errorf(pos, "the size of the array '%s' is out of range", g.Name)
	}
	g.MaxSize = max(n.Value, 1)
	p.want(tRBrack, "after the array's size")
}

// literal parses a string or a number with an optional sign.
func (p *parser) literal(what string, args ...any) Expr {
	pos := p.tok.pos
	switch p.tok.kind {
	case tString, tRaw:
		return p.stringLit()
	case tNumber:
		return p.number()
	case tSub:
		p.next()
		if p.tok.kind != tNumber {
			p.fail("", "a number after the sign")
		}
		n := p.number()
		n.At = pos
		n.Value = -n.Value
		return n
	}
	p.fail("", what, args...)
	return nil
}

// functionDecl parses a function, behind the word function.
func (p *parser) functionDecl(f *File, start Pos, private bool) {
	d := &FunctionDecl{At: start, Private: private}
	d.Name, _ = p.name("a function's name")
	d.Result = p.typeName("the function's type")
	p.want(tLParen, "after the function's name")
	for p.tok.kind != tRParen {
		a := p.params.new()
		a.Name, a.At = p.name("a parameter's name or ')'")
		for _, b := range d.Params {
			if b.Name == a.Name && len(d.Params) < 100 {
				p.errorf(a.At, "the function '%s' has two parameters named '%s'", d.Name, a.Name)
			}
		}
		a.Type = p.typeName("the parameter's type")
		d.Params = append(d.Params, a)
		if p.tok.kind != tRParen && !p.got(tComma) {
			p.fail("", "',' or ')' after the parameter '%s'", a.Name)
		}
	}
	p.next()
	if p.got(tColon) {
		d.Priority = p.priority()
	}
	p.function = true
	switch p.tok.kind {
	case tEmbedded:
		d.Code = p.embedded("embedded code")
	case tLBrace:
		d.Body = p.block()
	default:
		p.fail("", "'{' or '%%{' before the body of the function '%s'", d.Name)
	}
	f.Decls = append(f.Decls, d)
}

// typeName parses :long or :string, if present.
func (p *parser) typeName(what string) TypeName {
	if !p.got(tColon) {
		return ""
	}
	switch p.tok.kind {
	case tTypeLong, tTypeString:
		t := TypeName(p.tok.text)
		p.next()
		return t
	}
	hint := ""
	if p.tok.kind == tIdent {
		hint = didYouMean(p.tok.text, []string{"long", "string"}, "")
	}
	p.fail(hint, "'long' or 'string' as %s", what)
	return ""
}

// priority parses the number that orders overloaded functions.
func (p *parser) priority() *int64 {
	pos := p.tok.pos
	n, ok := p.literal("the function's priority").(*NumberLit)
	if !ok {
		p.failAt(pos, "expected a number as the function's priority")
	}
	if n.Value <= 0 {
		p.errorf(pos, "a function's priority must be greater than 0")
	}
	return &n.Value
}

// probe parses a probe or an alias.
func (p *parser) probe(f *File) {
	start := p.tok.pos
	p.next()
	p.function = false
	var names []*ProbePoint
	var points []*ProbePoint
	epilogue := false
	for {
		points = p.points()
		if p.tok.kind != tAssign && p.tok.kind != tAddAssign {
			break
		}
		names = append(names, p.aliasName(points))
		if p.tok.kind == tAddAssign {
			if len(names) > 1 {
				p.failAt(p.tok.pos, "an alias can't be defined with both '=' and '+='")
			}
			epilogue = true
		} else if epilogue {
			p.failAt(p.tok.pos, "an alias can't be defined with both '=' and '+='")
		}
		p.next()
	}
	if p.tok.kind != tLBrace {
		p.fail("", "'{' before the probe's handler, or ',' and another probe point")
	}
	body := p.block()
	if names == nil {
		f.Decls = append(f.Decls, &ProbeDecl{At: start, Points: points, Body: body})
		return
	}
	var after *Block
	if p.tok.kind == tComma {
		if epilogue {
			p.failAt(p.tok.pos, "an alias defined with '+=' has only an epilogue")
		}
		p.next()
		if p.tok.kind != tLBrace {
			p.fail("", "'{' before the alias's epilogue")
		}
		after = p.block()
	}
	for _, name := range names {
		f.Decls = append(f.Decls, &AliasDecl{At: start, Name: name, Epilogue: epilogue, Points: points, Body: body, After: after})
	}
}

// aliasName returns the name that an alias defines, if points are a valid one.
func (p *parser) aliasName(points []*ProbePoint) *ProbePoint {
	if len(points) != 1 {
		p.failAt(p.tok.pos, "expected one name before '%s', found %d probe points", kindText[p.tok.kind], len(points))
	}
	name := points[0]
	if name.Optional || name.Sufficient {
		p.failAt(name.At, "an alias's name can't be marked '?' or '!'")
	}
	if name.Cond != nil {
		p.failAt(name.At, "an alias's name can't have a condition")
	}
	return name
}
