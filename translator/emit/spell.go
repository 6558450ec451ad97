// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"encoding/binary"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A speller makes keys of a handler's statements: statements of two handlers with the same key come
// from the same position in the script and become the same C, provided that locals of the same name are
// unified.
type speller struct {
	key    []byte
	weight int // an estimate of the size of the statement's C
	locals map[*program.Local]bool
	no     bool // the statement depends on its handler in ways that the key does not express
}

// statement returns the key of s, its weight, and the locals in it; ok is false if s depends on more
// than the key expresses.
func (sp *speller) statement(s program.Stmt) (key string, weight int, locals map[*program.Local]bool, ok bool) {
	sp.key, sp.weight, sp.locals, sp.no = sp.key[:0], 0, map[*program.Local]bool{}, false
	sp.stmt(s)
	return string(sp.key), sp.weight, sp.locals, !sp.no
}

func (sp *speller) text(s string) {
	sp.number(int64(len(s)))
	sp.key = append(sp.key, s...)
}

func (sp *speller) number(n int64) { sp.key = binary.AppendVarint(sp.key, n) }

func (sp *speller) flag(on bool) {
	if on {
		sp.key = append(sp.key, 1)
	} else {
		sp.key = append(sp.key, 0)
	}
}

func (sp *speller) at(pos syntax.Pos) {
	pos = scriptPos(pos)
	sp.number(int64(pos.Line))
	sp.number(int64(pos.Col))
	if pos.Source != nil {
		sp.text(pos.Source.Path)
	}
}

func (sp *speller) local(l *program.Local) {
	if l == nil {
		sp.text("")
		return
	}
	sp.locals[l] = true
	sp.text(l.Name)
	sp.number(int64(l.Type))
}

func (sp *speller) stmt(s program.Stmt) {
	if s == nil {
		sp.key = append(sp.key, 0)
		return
	}
	sp.at(s.Pos())
	switch s := s.(type) {
	case *program.Eval:
		sp.key = append(sp.key, 'e')
		sp.expr(s.X)
	case *program.Block:
		sp.key = append(sp.key, 'b')
		sp.number(int64(len(s.Stmts)))
		for _, s := range s.Stmts {
			sp.stmt(s)
		}
	case *program.If:
		sp.key = append(sp.key, 'i')
		sp.expr(s.Cond)
		sp.stmt(s.Then)
		sp.stmt(s.Else)
	case *program.For:
		sp.key = append(sp.key, 'f')
		sp.exprs(s.Init, s.Cond, s.Post)
		sp.stmt(s.Body)
	case *program.Next:
		sp.key = append(sp.key, 'n')
	case *program.Break:
		sp.key = append(sp.key, 'q')
	case *program.Continue:
		sp.key = append(sp.key, 'c')
	case *program.Delete:
		sp.key = append(sp.key, 'd')
		sp.expr(s.X)
	case *program.Try:
		sp.key = append(sp.key, 't')
		sp.stmt(s.Body)
		sp.expr(s.Msg)
		sp.stmt(s.Catch)
	default: // loops over arrays, which are rare in aliases
		sp.no = true
	}
}

func (sp *speller) exprs(list ...program.Expr) {
	sp.number(int64(len(list)))
	for _, e := range list {
		sp.expr(e)
	}
}
