// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gostap/docs"
	"gostap/translator/syntax"
)

// gostap help knows the words of the language.
func TestWordsAreDocumented(t *testing.T) {
	known := map[string]bool{}
	for _, w := range docs.Words() {
		known[w.Name] = true
	}
	for _, word := range slices.Concat(declarations, statements, printers, []string{"<<<", "@count", "@hist_linear", "@entry"}) {
		if !known[word] {
			t.Errorf("%s is not in LANGUAGE.md", word)
		}
	}
}

// place removes the | that marks the position from a text.
func place(t *testing.T, text string) (string, Position) {
	before, after, ok := strings.Cut(text, "|")
	if !ok {
		t.Fatalf("%q marks no place", text)
	}
	return before + after, newDocument(uri, 1, before).position(len(before))
}

// labels are those of the completions.
func labels(list completionList) (all []string) {
	for _, item := range list.Items {
		all = append(all, item.Label)
	}
	return all
}

func TestCompletion(t *testing.T) {
	c := start(t, config(t))
	c.open("")
	for version, one := range []struct {
		text string
		want string // one of the completions
		not  string
		then string // the text with that completion
	}{
		{text: "probe kern|", want: "kernel", then: "probe kernel"},
		{text: "probe begin, kernel.function(\"vfs_re|\") { }", want: `kernel.function("vfs_read")`, then: `probe begin, kernel.function("vfs_read") { }`},
		{text: "probe kernel.{function(\"vfs_read\"), function(\"vfs_write\")} { pri|", want: "println_nosuch", not: "println_nosuch"},
		{text: "probe kernel.trace(\"sched_swi|", want: `kernel.trace("sched_switch")`},
		{text: "probe syscall.ope|", want: "syscall.open"},
		{text: "probe kernel.function(\"vfs_read\") { println($co|", want: "$count", not: "$nosuch", then: "probe kernel.function(\"vfs_read\") { println($count"},
		{text: "probe kernel.function(\"vfs_read\") { println($file->f_po|) }", want: "f_pos", not: "f_inode", then: "probe kernel.function(\"vfs_read\") { println($file->f_pos) }"},
		{text: "probe kernel.function(\"vfs_read\") { println($file->f_inode->i_|", want: "i_ino", not: "f_inode"},
		{text: "probe kernel.function(\"vfs_read\").return { println(@entry($file->f_inode->i_|", want: "i_ino"},
		{text: "function f(p) { return @cast(p, \"task_struct\", \"kernel\")->pi|", want: "pid", not: "comm"},
		{text: "probe kernel.trace(\"sched_switch\") { println($next->com|", want: "comm"},
		{text: "probe syscall.open { println(filen|", want: "filename"},
		{text: "global reads\nprobe begin { rea| }\nfunction other() { return 1 }", want: "reads", then: "global reads\nprobe begin { reads }\nfunction other() { return 1 }"},
		{text: "probe begin { number = 1; println(num|) }", want: "number"},
		{text: "probe begin { number = 1 }\nprobe end { println(num|) }", want: "", not: "number"},
		{text: "probe begin { printl|", want: "println", then: "probe begin { println"},
		{text: "probe begin { println(task_pi|) }", want: "task_pid", not: "task_execname"},
		{text: "@define two %( 2 %)\nprobe begin { println(@tw|) }", want: "@two"},
		{text: "probe begin { println(\"task_pi|\") }", want: "", not: "task_pid"},
		{text: "probe begin { } // task_pi|", want: "", not: "task_pid"},
		{text: "pro|", want: "probe", then: "probe"},
		{text: "|", want: "global"},
	} {
		text, at := place(t, one.text)
		c.notify("textDocument/didChange", documentParams{TextDocument: textDocument{URI: uri, Version: version + 2}, ContentChanges: []change{{Text: text}}})
		var list completionList
		c.call("textDocument/completion", documentParams{TextDocument: textDocument{URI: uri}, Position: at}, &list)
		if one.want == one.not {
			one.want = ""
		}
		all := labels(list)
		if one.want != "" && !slices.Contains(all, one.want) || one.not != "" && slices.Contains(all, one.not) {
			t.Errorf("%s: %q, wanted %q and not %q", one.text, all[:min(len(all), 20)], one.want, one.not)
			continue
		}
		for _, item := range list.Items {
			if item.Label != one.want || one.then == "" {
				continue
			}
			if after := newDocument(uri, 1, text).changed(2, []change{{Range: &item.TextEdit.Range, Text: item.TextEdit.NewText}}); after.text != one.then {
				t.Errorf("%s: %s", one.text, after.text)
			}
		}
	}
}

func TestHover(t *testing.T) {
	c := start(t, config(t))
	c.open("")
	for version, one := range []struct{ text, want string }{
		{"probe begin { println(task_p|id(0)) }", "function task_pid:long (task:long)"},
		{"global reads\nprobe vfs.read { re|ads[execname()] <<< 1 }\nprobe end { print(@count(reads[\"a\"])) }", "global reads[string]: stats"},
		{"probe begin { println(twice(\"a\")) }\nfunction tw|ice(s) { return s . s }", "function twice:string (s:string)"},
		{"probe kernel.function(\"vfs_|read\") { }", "$count: size_t"},
		{"probe kernel.function(\"vfs_read\") { println($fi|le) }", "$file: struct file*"},
		{"probe kernel.function(\"vfs_read\") { println($file->f_p|os) }", "f_pos: loff_t"},
		{"probe vfs.re|ad { println(bytes_to_read) }", "probe vfs.read"},
		{"probe begin { println(\"task_p|id\") }", ""},
		{"probe beg|in { }", "begin"},
	} {
		text, at := place(t, one.text)
		c.notify("textDocument/didChange", documentParams{TextDocument: textDocument{URI: uri, Version: version + 2}, ContentChanges: []change{{Text: text}}})
		c.diagnostics(version + 2)
		var got *hover
		c.call("textDocument/hover", documentParams{TextDocument: textDocument{URI: uri}, Position: at}, &got)
		switch {
		case got == nil && one.want != "":
			t.Errorf("%s: nothing", one.text)
		case got != nil && (one.want == "" || !strings.Contains(got.Contents.Value, one.want)):
			t.Errorf("%s: %s", one.text, got.Contents.Value)
		}
	}
}

func TestDefinition(t *testing.T) {
	folder := t.TempDir()
	with := config(t)
	with.File = func(src *syntax.Source) (string, error) {
		path := filepath.Join(folder, filepath.Base(src.Path))
		return path, os.WriteFile(path, src.Text, 0o666)
	}
	c := start(t, with)
	c.open("")
	for version, one := range []struct{ text, want string }{
		{"global n\nprobe begin { |n = 1 }", "global n"},
		{"function f(n) { return |n }\nglobal n", "n) { return"},
		{"probe begin { f|(1) }\nfunction f(n) { return n }", "f(n)"},
		{"probe begin { x = 1; println(|x) }", "x = 1"},
		{"probe begin { println(task_|pid(0)) }", "function task_pid"},
		{"probe vfs.re|ad { }", "probe vfs.read"},
		{"@define two %( 2 %)\nprobe begin { println(@|two) }", "two %("},
		{"probe begin { println(\"|x\") }", ""},
	} {
		text, at := place(t, one.text)
		c.notify("textDocument/didChange", documentParams{TextDocument: textDocument{URI: uri, Version: version + 2}, ContentChanges: []change{{Text: text}}})
		var list []Location
		c.call("textDocument/definition", documentParams{TextDocument: textDocument{URI: uri}, Position: at}, &list)
		if len(list) == 0 {
			if one.want != "" {
				t.Errorf("%s: nothing", one.text)
			}
			continue
		}
		if list[0].URI != uri {
			file, err := os.ReadFile(pathOf(list[0].URI))
			if err != nil {
				t.Fatal(err)
			}
			text = string(file)
		}
		d := newDocument(list[0].URI, 1, text)
		line := d.line(list[0].Range.Start.Line)
		if one.want == "" || !strings.Contains(line, one.want) {
			t.Errorf("%s: %s", one.text, line)
		}
	}
}

func TestRename(t *testing.T) {
	for _, one := range []struct{ text, to, want string }{
		{"global n\nprobe begin { |n = $n; n++; f(n) }\nfunction f(n) { return n }", "m", "global m\nprobe begin { m = $n; m++; f(m) }\nfunction f(n) { return n }"},
		{"global n\nfunction f(n) { return |n }\nprobe end { n = 1 }", "m", "global n\nfunction f(m) { return m }\nprobe end { n = 1 }"},
		{"probe begin { f(1); x->f = 1 }\nfunction |f(n) { return n }\nprobe kernel.f(1) { }", "g", "probe begin { g(1); x->f = 1 }\nfunction g(n) { return n }\nprobe kernel.f(1) { }"},
		{"probe begin { x = 1; println(|x) }\nprobe end { x = 2 }", "y", "probe begin { y = 1; println(y) }\nprobe end { x = 2 }"},
		{"probe begin { x = 1; y = |x }", "y", "there is a y already"},
		{"global x, y\nprobe begin { x = |y }", "x", "there is a x already"},
		{"global x\nprobe begin { y = |x }", "y", "there is a variable y already"},
		{"probe begin { task_|pid(1) }", "g", "task_pid is not declared in this script"},
		{"probe begin { x = |x }", "1x", "\"1x\" is no name"},
		{"probe begin { x = |x }", "while", "\"while\" is no name"},
		{"probe kernel.function(\"f\") { println($x->|y) }", "z", "y is the kernel's or the program's own name"},
		{"probe be|gin { }", "z", "begin is not declared in this script"},
		{"probe begin { println(\"|x\") }", "z", "nothing stands here that has a name"},
	} {
		text, at := place(t, one.text)
		s, d := &Server{Config: config(t)}, newDocument(uri, 1, text)
		edit, err := s.rename(d, at, one.to)
		if err != nil {
			if !strings.Contains(err.Error(), one.want) {
				t.Errorf("%s: %v", one.text, err)
			}
			continue
		}
		edits := edit.Changes[uri]
		slices.Reverse(edits)
		for _, e := range edits {
			d = d.changed(2, []change{{Range: &e.Range, Text: e.NewText}})
		}
		if d.text != one.want {
			t.Errorf("%s:\n got  %s\n want %s", one.text, d.text, one.want)
		}
	}
}

// TestEveryPlace: requests do not fail at any position of a text, complete or truncated.
func TestEveryPlace(t *testing.T) {
	files, err := filepath.Glob("../examples/*.stp")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	s := &Server{Config: config(t)}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for end := 0; end <= len(text); end += 3 {
			for _, whole := range []string{string(text), string(text[:end]), "global x, y\n" + string(text[end:])} {
				d := newDocument(uri, 1, whole)
				p := d.position(end)
				c := d.cursor(p)
				begin, _ := c.word()
				c.container(begin, s.Env)
				c.points(s.Env)
				if c.inPoints() {
					c.point()
				}
				s.rename(d, p, "z")
			}
		}
	}
}
