// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import "gostap/translator/program"

// heavy is the weight of an expression that becomes a call, a lookup or a branch in C, without its
// operands.
const heavy = 4

func (sp *speller) expr(e program.Expr) {
	if e == nil {
		sp.key = append(sp.key, 0)
		return
	}
	sp.weight++
	sp.at(e.Pos())
	switch e := e.(type) {
	case *program.Number:
		sp.key = append(sp.key, 'n')
		sp.number(e.Value)
	case *program.Text:
		sp.key = append(sp.key, 't')
		sp.text(e.Value)
	case *program.LocalRef:
		sp.key = append(sp.key, 'l')
		sp.local(e.Local)
	case *program.GlobalRef:
		sp.key = append(sp.key, 'g')
		sp.text(e.Global.Name)
	case *program.Element:
		sp.heavy('a', e.Array.Name)
	case *program.Call:
		sp.heavy('c', e.Fn.Name)
	case *program.Unary:
		sp.operator('1', e.Op)
	case *program.Binary:
		sp.operator('2', e.Op)
	case *program.Compare:
		sp.operator('<', e.Op)
	case *program.Logical:
		sp.operator('&', e.Op)
	case *program.Concat:
		sp.heavy('.', "")
	case *program.Cond:
		sp.operator('?', "")
	case *program.Assign:
		sp.operator('=', e.Op)
	case *program.IncDec:
		sp.operator('+', "")
		sp.number(e.Delta)
		sp.flag(e.Post)
	case *program.Aggregate:
		sp.heavy('s', "")
	case *program.In:
		sp.heavy('i', e.Array.Name)
	case *program.Match:
		sp.heavy('m', e.Regex)
		sp.flag(e.Not)
		sp.flag(e.Keep)
	case *program.Print:
		sp.heavy('p', e.Format)
		sp.operator('e', e.Else)
		sp.flag(e.Sprint)
	case *program.Argument:
		sp.key = append(sp.key, 'A')
		sp.number(int64(e.Index))
	case *program.ReturnValue:
		sp.key = append(sp.key, 'R')
	case *program.Register:
		sp.key = append(sp.key, 'r')
		sp.number(int64(e.Number))
	case *program.ProbedAddr, *program.SyscallNumber:
		sp.key = append(sp.key, typeLetter(e))
	case *program.Deref:
		sp.heavy('*', "")
		sp.number(int64(e.Size))
		sp.flag(e.Signed)
		sp.flag(e.User)
		sp.number(int64(e.Low))
		sp.number(int64(e.Bits))
	case *program.Cast:
		sp.operator('x', "")
		sp.number(int64(e.Size))
		sp.flag(e.Signed)
	case *program.SavedValue: // whose offset differs between handlers
		sp.key = append(sp.key, 'S')
		sp.number(int64(e.Index))
		sp.no = true
	default: // embedded C may depend on anything
		sp.no = true
		return
	}
	sp.operands(e)
}

func typeLetter(e program.Expr) byte {
	if _, ok := e.(*program.ProbedAddr); ok {
		return 'I'
	}
	return 'N'
}

func (sp *speller) operator(kind byte, op string) {
	sp.key = append(sp.key, kind)
	sp.text(op)
}

func (sp *speller) heavy(kind byte, name string) {
	sp.weight += heavy
	sp.operator(kind, name)
}

// operands writes the keys of e's operands; a * in an element or slice is one of them.
func (sp *speller) operands(e program.Expr) {
	switch e := e.(type) {
	case *program.Element:
		sp.exprs(e.Keys...)
	case *program.In:
		sp.exprs(e.Keys...)
	default:
		sp.exprs(operands(e)...)
	}
}
