// SPDX-License-Identifier: GPL-2.0-or-later

package library

import (
	"bytes"
	"strings"

	"gostap/elaborate/probepoint"
	"gostap/internal/glob"
	"gostap/internal/lazyregexp"
	"gostap/translator/syntax"
)

// A Doc is the documentation of a function or an alias.
type Doc struct {
	Name      string // "task_pid", "syscall.open"
	Signature string // "function task_pid:long (task:long)", "probe syscall.open"
	Text      string // of the documentation comment, without the comment's marks; "" if there is none
	File      string // where it is declared
	Private   bool   // its name begins with an underscore: it is for other tapsets
}

// Doc returns the documentation of the functions and aliases whose names match pattern, in which * and ** mean
// the same as in probe points. A name without either is looked up without parsing all of the library.
func (lib *Library) Doc(pattern string) (docs []Doc) {
	wild := strings.Contains(pattern, "*")
	for _, f := range lib.files {
		if !wild && !f.names.has(pattern) {
			continue
		}
		for _, doc := range docsIn(f.parsed()) {
			if glob.MatchComponents(pattern, doc.Name) {
				docs = append(docs, doc)
			}
		}
	}
	return docs
}

// has reports whether name is public.
func (names *declared) has(name string) bool {
	for _, list := range [][]string{names.functions, names.aliases} {
		for _, n := range list {
			if n == name {
				return true
			}
		}
	}
	return false
}

// docsIn returns the documentation of all functions and aliases of a file.
func docsIn(file *syntax.File) (docs []Doc) {
	for _, d := range file.Decls {
		var doc Doc
		switch d := d.(type) {
		case *syntax.FunctionDecl:
			if d.Private {
				continue
			}
			doc = Doc{Name: d.Name, Signature: "function " + signature(d)}
		case *syntax.AliasDecl:
			name := probepoint.Spell(d.Name)
			doc = Doc{Name: name, Signature: "probe " + name}
		default:
			continue
		}
		doc.Text = comment(d.Pos())
		doc.File = file.Source.Path
		doc.Private = strings.HasPrefix(doc.Name, "_")
		docs = append(docs, doc)
	}
	return docs
}

// signature spells a function with its declared types: task_pid:long (task:long).
func signature(d *syntax.FunctionDecl) string {
	params := make([]string, len(d.Params))
	for i, p := range d.Params {
		params[i] = typed(p.Name, p.Type)
	}
	return typed(d.Name, d.Result) + " (" + strings.Join(params, ", ") + ")"
}

func typed(name string, t syntax.TypeName) string {
	if t == "" {
		return name
	}
	return name + ":" + string(t)
}

// between matches the text between a declaration's comment and its name.
var between = lazyregexp.MustCompile(`(?:\s|\b(?:private|function|probe)\b|%\([^%]*%\?|%:)*$`)

// comment returns the text of the documentation comment before the declaration at pos.
func comment(pos syntax.Pos) string {
	text := before(pos)
	text = text[:len(text)-len(between().Find(text))]
	if !bytes.HasSuffix(text, []byte("*/")) {
		return ""
	}
	begin := bytes.LastIndex(text, []byte("/*"))
	if begin < 0 || !bytes.HasPrefix(text[begin:], []byte("/**")) {
		return ""
	}
	var lines []string
	for line := range strings.Lines(string(text[begin+3 : len(text)-2])) {
		line = strings.TrimSpace(line)
		if line == "*" {
			line = ""
		}
		lines = append(lines, strings.TrimPrefix(line, "* "))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// before returns the text of pos's file in front of it.
func before(pos syntax.Pos) []byte {
	text := pos.Source.Text
	end := 0
	for n := pos.Line; n > 1; n-- {
		i := bytes.IndexByte(text[end:], '\n')
		if i < 0 {
			break
		}
		end += i + 1
	}
	return text[:min(end+int(pos.Col)-1, len(text))]
}
