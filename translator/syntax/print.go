// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

const indentation = "    "

// Print writes f as script text, which parses to the same tree: preprocessed,
// with braces of probe points expanded, and without comments.
func Print(w io.Writer, f *File) error {
	p := &printer{w: bufio.NewWriter(w)}
	for i, d := range f.Decls {
		if i > 0 {
			p.write("\n")
		}
		p.decl(d)
	}
	return p.w.Flush()
}

// ExprString returns x as script text.
func ExprString(x Expr) string {
	var b strings.Builder
	p := &printer{w: bufio.NewWriter(&b)}
	p.expr(x, precAssign)
	p.w.Flush()
	return b.String()
}

// String returns the probe point as script text.
func (p *ProbePoint) String() string {
	var b strings.Builder
	pr := &printer{w: bufio.NewWriter(&b)}
	pr.point(p)
	pr.w.Flush()
	return b.String()
}

// A printer writes a tree. The writer keeps the first error for its Flush.
type printer struct {
	w     *bufio.Writer
	depth int // of indentation
}

func (p *printer) write(parts ...string) {
	for _, s := range parts {
		p.w.WriteString(s)
	}
}

func (p *printer) decl(d Decl) {
	switch d := d.(type) {
	case *GlobalDecl:
		p.global(d)
	case *FunctionDecl:
		p.function(d)
	case *EmbeddedDecl:
		p.embedded(d.Code)
		p.write("\n")
	case *ProbeDecl:
		p.write("probe ")
		p.points(d.Points)
		p.write(" ")
		p.block(d.Body)
		p.write("\n")
	case *AliasDecl:
		p.alias(d)
	}
}

func (p *printer) global(d *GlobalDecl) {
	if d.Private {
		p.write("private ")
	}
	p.write("global ", d.Name)
	if d.Wrap {
		p.write("%")
	}
	if d.MaxSize != 0 {
		p.write("[", strconv.FormatInt(d.MaxSize, 10), "]")
	}
	if d.Init != nil {
		p.write(" = ")
		p.literal(d.Init)
	}
	p.write("\n")
}

func (p *printer) function(d *FunctionDecl) {
	if d.Private {
		p.write("private ")
	}
	p.write("function ", d.Name)
	p.typeName(d.Result)
	p.write("(")
	for i, a := range d.Params {
		if i > 0 {
			p.write(", ")
		}
		p.write(a.Name)
		p.typeName(a.Type)
	}
	p.write(")")
	if d.Priority != nil {
		p.write(":", strconv.FormatInt(*d.Priority, 10))
	}
	p.write(" ")
	if d.Code != nil {
		p.embedded(d.Code)
	} else {
		p.block(d.Body)
	}
	p.write("\n")
}

func (p *printer) typeName(t TypeName) {
	if t != "" {
		p.write(":", string(t))
	}
}

func (p *printer) alias(d *AliasDecl) {
	p.write("probe ")
	p.point(d.Name)
	if d.Epilogue {
		p.write(" += ")
	} else {
		p.write(" = ")
	}
	p.points(d.Points)
	p.write(" ")
	p.block(d.Body)
	if d.After != nil {
		p.write(", ")
		p.block(d.After)
	}
	p.write("\n")
}

func (p *printer) embedded(c *EmbeddedC) { p.write("%{", c.Text, "%}") }

func (p *printer) points(list []*ProbePoint) {
	for i, pt := range list {
		if i > 0 {
			p.write(", ")
		}
		p.point(pt)
	}
}

func (p *printer) point(pt *ProbePoint) {
	for i, c := range pt.Components {
		if i > 0 {
			p.write(".")
		}
		p.write(c.Name)
		if c.Arg != nil {
			p.write("(")
			p.literal(c.Arg)
			p.write(")")
		}
	}
	switch {
	case pt.Sufficient:
		p.write("!")
	case pt.Optional:
		p.write("?")
	}
	if pt.Cond != nil {
		p.write(" if (")
		p.expr(pt.Cond, precAssign)
		p.write(")")
	}
}

// literal writes a number, which may have a sign, or a string.
func (p *printer) literal(x Expr) {
	switch x := x.(type) {
	case *NumberLit:
		p.write(strconv.FormatInt(x.Value, 10))
	case *StringLit:
		p.write(quote(x.Value))
	}
}
