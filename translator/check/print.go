// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"strconv"
	"strings"

	"gostap/translator/format"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A printForm is a print whose format depends on its arguments' types.
type printForm struct {
	delim   string
	newline bool
	quoted  bool // strings that are not literals are printed in quotes
}

// print lowers a call of the print family.
func (s *scope) print(x *syntax.PrintExpr) program.Expr {
	n := &program.Print{At: x.At, Sprint: strings.HasPrefix(x.Name, "sprint")}
	family := strings.TrimPrefix(x.Name, "s")
	if family == "printf" {
		n.Format = x.Format
		if s.c.before("1.3") {
			n.Format = strings.ReplaceAll(n.Format, "%p", "0x%016x")
		}
		n.Args = s.exprs(x.Args)
		if !s.checkFormat(x) {
			return &invalid{x.At}
		}
		return n
	}
	if h := histArg(x); h != nil {
		return s.printHist(h, n.Sprint, family == "println")
	}
	if s.prints == nil {
		s.prints = map[*program.Print]*printForm{}
	}
	s.prints[n] = &printForm{
		delim:   x.Delim,
		newline: strings.HasSuffix(family, "ln"),
		quoted:  s.c.display[x],
	}
	n.Args = s.exprs(x.Args)
	return n
}

// histArg returns the histogram that x prints, nil if it prints something else.
func histArg(x *syntax.PrintExpr) *syntax.StatOp {
	if len(x.Args) != 1 {
		return nil
	}
	h, ok := x.Args[0].(*syntax.StatOp)
	if !ok || h.Op != "hist_log" && h.Op != "hist_linear" || strings.Contains(x.Name, "printd") {
		return nil
	}
	return h
}

func (s *scope) printHist(x *syntax.StatOp, sprint, newline bool) program.Expr {
	h := s.hist(x)
	if h == nil {
		return &invalid{x.At}
	}
	to := s.statistic(x.X, "@"+x.Op)
	if hasStarElement(to) {
		s.c.errorf(x.X.Pos(), "a histogram is one element's, but a key is *")
		return &invalid{x.At}
	}
	return &program.PrintHist{At: x.At, X: to, Hist: h, Sprint: sprint, Newline: newline}
}

// checkFormat checks the number of printf's arguments.
func (s *scope) checkFormat(x *syntax.PrintExpr) bool {
	dirs, _ := format.Parse(x.Format) // pass 1 has rejected invalid ones
	want, conversions := 0, 0
	var kinds [3]format.Kind
	for i := range dirs {
		if n := len(dirs[i].Kinds(kinds[:0])); n > 0 {
			want += n
			conversions++
		}
	}
	if want == len(x.Args) {
		return true
	}
	takes := plural(want, "argument")
	if want != conversions {
		takes += ", those for * included"
	}
	at := x.At
	if len(x.Args) > want {
		at = x.Args[want].Pos()
	}
	s.c.errorf(at, "%s: the format takes %s, found %d", x.Name, takes, len(x.Args)).InStap("Wrong number of args to formatted print operator")
	return false
}

// inferFormat unifies the arguments of a printf with the types in its format.
func (c *checker) inferFormat(x *program.Print) {
	dirs, _ := format.Parse(x.Format) // pass 1 has rejected invalid ones
	var kinds []format.Kind
	for i := range dirs {
		kinds = dirs[i].Kinds(kinds)
	}
	for i, arg := range x.Args {
		switch {
		case i >= len(kinds):
			c.infer(arg)
		case kinds[i] == format.String:
			c.want(arg, program.String)
		default:
			c.want(arg, program.Long)
		}
	}
}

// writeFormat turns print and similar functions into printf.
func (c *checker) writeFormat(x *program.Print, form *printForm) {
	var b strings.Builder
	var args []program.Expr
	for i, arg := range x.Args {
		if i > 0 {
			b.WriteString(format.Quote(form.delim))
		}
		switch arg := arg.(type) {
		case *program.Text:
			b.WriteString(format.Quote(arg.Value))
			continue
		case *program.Number:
			b.WriteString(strconv.FormatInt(arg.Value, 10))
			continue
		}
		switch {
		case arg.Type() != program.String:
			b.WriteString("%d")
		case form.quoted:
			b.WriteString(`"%#s"`)
		default:
			b.WriteString("%s")
		}
		args = append(args, arg)
	}
	if form.newline {
		b.WriteByte('\n')
	}
	x.Format, x.Args = b.String(), args
}
