// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strings"

	"gostap/manifest"
	"gostap/translator/format"
	"gostap/translator/program"
)

// print writes a record with the arguments or, for sprint, formats them.
func (b *body) print(e *program.Print) value {
	text, args := foldLiterals(e.Format, e.Args)
	dirs, err := format.Parse(text)
	if err != nil {
		b.g.diags.Errorf(e.At, "%v", err)
		return value{"GS_LIT(\"\")", constant}
	}
	if e.Else != "" {
		return b.sprintOrElse(e, text, dirs, args)
	}
	vs, letters := b.printArgs(e, dirs, args)
	if e.Sprint {
		return b.sprint(e, text, vs, letters)
	}
	size := []string{"4"}
	for i, v := range vs {
		if letters[i] == 'l' {
			size = append(size, "8")
		} else {
			t := b.temp()
			b.line("struct gs_str %s = %s;", t, v.c)
			vs[i].c = t
			size = append(size, "2 + "+t+".len")
		}
	}
	p := b.temp()
	b.line("char *%s = gs_reserve(c, GS_REC_PRINT, %s);", p, strings.Join(size, " + "))
	b.open("if (gs_likely(%s != NULL)) {", p)
	b.line("GS_U32(%s) = %d;", p, b.g.format(text, letters))
	if len(vs) > 0 {
		b.line("%s += 4;", p)
	}
	for i, v := range vs {
		pack := "gs_pack_long"
		if letters[i] == 's' {
			pack = "gs_pack_str"
		}
		set := p + " = "
		if i == len(vs)-1 {
			set = ""
		}
		b.line("%s%s(%s, %s);", set, pack, p, v.c)
	}
	b.line("gs_commit(c);")
	b.close("}")
	return value{}
}

func (b *body) sprint(e *program.Print, text string, vs []value, letters string) value {
	n := b.g.bounds.of(e) + 1
	t := b.temp()
	args := "NULL"
	if len(vs) > 0 {
		args = b.temp()
		var list []string
		for i, v := range vs {
			field := "n"
			if letters[i] == 's' {
				field = "s"
			}
			list = append(list, fmt.Sprintf("{ .%s = %s }", field, v.c))
		}
		b.line("union gs_arg %s[] = { %s };", args, strings.Join(list, ", "))
	}
	b.line("struct gs_str %s = gs_sprintf(%s, %d, %s, %s);", t, b.slot(n), n, cString(untilNUL(text)), args)
	return temporaryValue(t)
}

// sprintOrElse formats the arguments, or has e.Else if one of them raises an error.
func (b *body) sprintOrElse(e *program.Print, text string, dirs []format.Directive, args []program.Expr) value {
	if anyExpr(e, func(x program.Expr) bool { in, ok := x.(*program.Deref); return ok && in.User }) {
		b.requireMyproc(b.g.near("a pointer", e.At)) // an error that is not caught
	}
	t, caught := b.temp(), b.label("catch")
	b.line("struct gs_str %s;", t)
	b.errors = append(b.errors, caught)
	b.open("{")
	vs, letters := b.printArgs(e, dirs, args)
	b.line("%s = %s;", t, b.sprint(e, text, vs, letters).c)
	b.close("}")
	b.errors = b.errors[:len(b.errors)-1]
	if b.used[caught] {
		b.open("if (0) {")
		b.line("%s:;", caught)
		b.line("if (gs_unlikely(is_final(c->error)))")
		b.line("\t%s;", b.fail())
		b.line("c->error = NULL;")
		b.line("c->error_near = NULL;")
		b.line("%s = GS_LIT(%s);", t, cString(e.Else))
		b.close("}")
	}
	return temporaryValue(t)
}

// printArgs evaluates the arguments. The memory for %m and %M is read here, so these take a string
// afterwards.
func (b *body) printArgs(e *program.Print, dirs []format.Directive, args []program.Expr) (vs []value, letters string) {
	vs = b.values(args, false)
	i := 0
	for d := range dirs {
		dir := &dirs[d]
		kinds := dir.Kinds(nil)
		if i+len(kinds) > len(args) {
			break
		}
		for _, k := range kinds {
			switch k {
			case format.Long:
				letters += "l"
			case format.String:
				letters += "s"
			case format.Address:
				letters += "s"
				n := "1"
				if dir.HasPrec {
					n = fmt.Sprint(dir.Precision)
				} else if dir.PrecArg {
					t := b.temp()
					b.line("gs_s64 %s = %s;", t, vs[i-1].c)
					vs[i-1] = temporaryValue(t)
					n = t
				}
				vs[i] = b.memory(vs[i], n, dir.Sharp, e)
			}
			i++
		}
	}
	return vs[:i], letters
}

func (b *body) memory(addr value, n string, user bool, e *program.Print) value {
	t := b.temp()
	size := b.g.bounds.maxLen + 1
	b.line("struct gs_str %s = gs_load_bytes(c, %s, %d, %s, %s, %s, %s);", t, b.slot(size), size, addr.c, n, boolText(user),
		b.g.near("identifier 'printf'", e.At))
	b.check()
	return temporaryValue(t)
}

// foldLiterals moves literals for a plain %s or %d into the format.
func foldLiterals(text string, args []program.Expr) (string, []program.Expr) {
	var out strings.Builder
	var rest []program.Expr
	for i := 0; i < len(text); {
		if text[i] != '%' {
			out.WriteByte(text[i])
			i++
			continue
		}
		end := i + 1
		for end < len(text)-1 && strings.IndexByte("%bcdimMopsuxX", text[end]) < 0 {
			end++
		}
		raw := text[i:min(end+1, len(text))]
		i += len(raw)
		if strings.HasSuffix(raw, "%") {
			out.WriteString(raw)
			continue
		}
		n := min(strings.Count(raw, "*")+1, len(args))
		if n == 1 && raw == "%s" {
			if t, ok := args[0].(*program.Text); ok {
				out.WriteString(format.Quote(untilNUL(t.Value)))
				args = args[1:]
				continue
			}
		}
		out.WriteString(raw)
		rest = append(rest, args[:n]...)
		args = args[n:]
	}
	return out.String(), rest
}

// format returns a format's index in the manifest.
func (g *gen) format(text, letters string) int {
	return intern(&g.manifest.Formats, g.formats, manifest.Format{Format: text, Args: letters})
}

func (g *gen) hist(of *program.Global, h *program.Hist) int {
	return intern(&g.manifest.Hists, g.hists, manifest.Hist{Of: of.Name, Linear: h.Linear, Low: h.Low, High: h.High, Interval: h.Interval, Near: g.opts.Limits.HistElision})
}

func (g *gen) symbol(in program.Image, name string, offset int64) int {
	return intern(&g.manifest.Symbols, g.symbols, manifest.Symbol{Name: name, Image: g.image(in), Offset: uint64(offset)})
}

func (g *gen) image(im program.Image) int {
	return intern(&g.manifest.Images, g.images, manifest.Image{Module: im.Module, Path: im.Path, BuildID: im.BuildID, Go: im.Go,
		GoID: im.Goroutine.ID, GoCurg: im.Goroutine.Current})
}

// intern returns x's index in list, and appends x if it is not there.
func intern[T comparable](list *[]T, index map[T]int, x T) int {
	i, ok := index[x]
	if !ok {
		i = len(*list)
		index[x] = i
		*list = append(*list, x)
	}
	return i
}
