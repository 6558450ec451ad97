// SPDX-License-Identifier: GPL-2.0-or-later

package library

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gostap/elaborate/probepoint"
	"gostap/translator/syntax"
)

// A Library is the tapset library: declarations that scripts may refer to. It has the names that its
// files declare, and parses a file when one of them is needed.
type Library struct {
	parts     []*part
	files     []*file
	functions map[string][]*file
	globals   map[string]*file
	aliases   []*Alias
	beginning map[string][]*Alias // the aliases by the first component of their names
}

// A file is a file of the library, which may not have been parsed yet.
type file struct {
	src   syntax.Source
	fs    fs.FS
	name  string // in fs
	names declared
	env   *syntax.Env
	once  sync.Once
	tree  *syntax.File
	diags syntax.Diagnostics
}

// read reads the file's text, if it has not been read.
func (f *file) read() {
	if f.src.Text != nil {
		return
	}
	text, err := fs.ReadFile(f.fs, f.name)
	if err != nil {
		f.diags.Errorf(syntax.Pos{}, "%s: %v", f.src.Path, err)
	}
	f.src.Text = text
}

// parsed returns the file's declarations.
func (f *file) parsed() *syntax.File {
	f.once.Do(func() {
		f.read()
		var diags syntax.Diagnostics
		f.tree, diags = syntax.Parse(&f.src, f.env)
		f.diags = append(f.diags, diags...)
	})
	return f.tree
}

// skipped returns warnings that the file is left out, with the reasons.
func (f *file) skipped() (diags syntax.Diagnostics) {
	for _, d := range f.diags {
		warning := *d
		warning.Severity = syntax.Warning
		diags = append(diags, &warning)
	}
	diags.Warnf(syntax.Pos{}, "tapset %q has errors, and will be skipped", f.src.Path)
	return diags
}

// An Alias is a probe alias of the library, whose file may not have been parsed yet.
type Alias struct {
	file  *file
	nth   int    // of the file's aliases
	name  string // as scripts spell it
	parts []probepoint.NamePart
}

// Declaration parses the file that declares the alias.
func (a *Alias) Declaration() (*syntax.File, *syntax.AliasDecl) {
	file, nth := a.file.parsed(), 0
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.AliasDecl); ok {
			if nth == a.nth {
				return file, d
			}
			nth++
		}
	}
	panic("the index of the tapset library and the alias " + a.name + " do not agree")
}

// nameParts splits the name. Its arguments are known only from the declaration.
func (a *Alias) nameParts() []probepoint.NamePart {
	if a.parts != nil {
		return a.parts
	}
	for rest := a.name; rest != ""; rest = strings.TrimPrefix(rest, ".") {
		end := strings.IndexFunc(rest, func(r rune) bool { return !inWord(r) })
		if end < 0 {
			end = len(rest)
		}
		a.parts = append(a.parts, probepoint.NamePart{Name: rest[:end], AnyArg: true})
		rest = rest[end:]
		if argument, ok := strings.CutPrefix(rest, "("); ok {
			quoted, _ := strconv.QuotedPrefix(argument)
			_, rest, _ = strings.Cut(argument[len(quoted):], ")")
		}
	}
	return a.parts
}

// Add parses another script and adds it to the library, if it parses.
func (lib *Library) Add(src *syntax.Source, env *syntax.Env) syntax.Diagnostics {
	f := &file{src: *src, env: env}
	f.names = declaredIn(f.parsed())
	if f.diags.Err() == nil {
		lib.add(f)
	}
	return f.diags
}

// makeRoom makes the maps, in which the names of all parts have room.
func (lib *Library) makeRoom() {
	functions, globals, aliases := 0, 0, 0
	for _, p := range lib.parts {
		for _, f := range p.scripts {
			functions += len(f.names.functions)
			globals += len(f.names.globals)
			aliases += len(f.names.aliases)
		}
	}
	lib.functions = make(map[string][]*file, functions)
	lib.globals = make(map[string]*file, globals)
	lib.aliases = make([]*Alias, 0, aliases)
	lib.beginning = map[string][]*Alias{}
}

// add adds the names that a file declares.
func (lib *Library) add(f *file) {
	lib.files = append(lib.files, f)
	for _, name := range f.names.functions {
		lib.functions[name] = append(lib.functions[name], f)
	}
	for _, name := range f.names.globals {
		lib.globals[name] = f
	}
	for i, name := range f.names.aliases {
		a := &Alias{file: f, nth: i, name: name}
		lib.aliases = append(lib.aliases, a)
		first := name[:len(name)-len(strings.TrimLeftFunc(name, inWord))]
		lib.beginning[first] = append(lib.beginning[first], a)
	}
}

// declares reports whether the library has one of the names already.
func (lib *Library) declares(names declared) bool {
	has := func(name string) bool { return lib.functions[name] != nil || lib.globals[name] != nil }
	return slices.ContainsFunc(names.functions, has) || slices.ContainsFunc(names.globals, has) ||
		slices.ContainsFunc(names.aliases, func(name string) bool {
			return slices.ContainsFunc(lib.aliases, func(a *Alias) bool { return a.name == name })
		})
}

func inWord(r rune) bool { return r != '.' && r != '(' }

// Candidates returns the aliases whose name pt may begin with, arguments in it aside.
func (lib *Library) Candidates(pt *syntax.ProbePoint) (list []*Alias) {
	aliases := lib.aliases
	if first := pt.Components[0].Name; !strings.Contains(first, "*") {
		aliases = lib.beginning[first]
	}
	for _, a := range aliases {
		if _, ok := probepoint.BeginsWith(pt.Components, a.nameParts()); ok {
			list = append(list, a)
		}
	}
	return list
}

// Below returns the aliases whose names go on behind name.
func (lib *Library) Below(name *syntax.ProbePoint) (list []*Alias) {
	prefix := probepoint.Spell(name) + "."
	for _, a := range lib.beginning[name.Components[0].Name] {
		if strings.HasPrefix(a.name, prefix) {
			list = append(list, a)
		}
	}
	return list
}

// Functions returns the files that declare functions of that name, parsed.
func (lib *Library) Functions(name string) []*syntax.File { return parse(lib.functions[name]) }

// HasGlobal reports whether a file declares a global of that name, without parsing it.
func (lib *Library) HasGlobal(name string) bool { return lib.globals[name] != nil }

// Global returns the file that declares a global of that name, parsed; nil if there is none.
func (lib *Library) Global(name string) *syntax.File {
	if f := lib.globals[name]; f != nil {
		return f.parsed()
	}
	return nil
}

// Files returns the library's files, parsed, in the order of folders and names.
func (lib *Library) Files() []*syntax.File { return parse(lib.files) }

func parse(list []*file) []*syntax.File {
	files := make([]*syntax.File, len(list))
	for i, f := range list {
		files[i] = f.parsed()
	}
	return files
}

// Len is the number of the library's files.
func (lib *Library) Len() int { return len(lib.files) }

// FunctionNames returns the names of the functions that scripts may call.
func (lib *Library) FunctionNames() []string {
	names := make([]string, 0, len(lib.functions))
	for name := range lib.functions {
		names = append(names, name)
	}
	return names
}

// AliasNames returns the names of the library's aliases, as scripts spell them.
func (lib *Library) AliasNames() []string {
	names := make([]string, len(lib.aliases))
	for i, a := range lib.aliases {
		names[i] = a.name
	}
	return names
}

// declared are a file's public declarations, in order.
type declared struct {
	functions, globals, aliases []string
}

func declaredIn(file *syntax.File) (names declared) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *syntax.FunctionDecl:
			// Overloads in one file are one entry.
			if n := len(names.functions); !d.Private && (n == 0 || names.functions[n-1] != d.Name) {
				names.functions = append(names.functions, d.Name)
			}
		case *syntax.GlobalDecl:
			if !d.Private {
				names.globals = append(names.globals, d.Name)
			}
		case *syntax.AliasDecl:
			names.aliases = append(names.aliases, probepoint.Spell(d.Name))
		}
	}
	return names
}
