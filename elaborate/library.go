// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gostap/elaborate/probepoint"
	"gostap/translator/syntax"
)

// A Library is the tapset library: what scripts may refer to without declaring
// it. It knows the names that its files declare, and parses a file once
// something of it is asked for.
type Library struct {
	parts     []*part
	files     []*libraryFile
	functions map[string][]*libraryFile
	globals   map[string]*libraryFile
	aliases   []*libraryAlias
	beginning map[string][]*libraryAlias // the aliases by the first component of their names
}

// A function is one variant of a function, with the file it stands in.
type function struct {
	file *syntax.File
	decl *syntax.FunctionDecl
}

// An alias is one declared probe alias.
type alias struct {
	file *syntax.File
	decl *syntax.AliasDecl
}

// A libraryFile is a file of the library, which may not have been parsed yet.
type libraryFile struct {
	src   syntax.Source
	fs    fs.FS
	name  string // in fs
	names declared
	env   *syntax.Env
	once  sync.Once
	file  *syntax.File
	diags syntax.Diagnostics
}

// read reads the file's text, if it has not been read.
func (f *libraryFile) read() {
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
func (f *libraryFile) parsed() *syntax.File {
	f.once.Do(func() {
		f.read()
		var diags syntax.Diagnostics
		f.file, diags = syntax.Parse(&f.src, f.env)
		f.diags = append(f.diags, diags...)
	})
	return f.file
}

// A libraryAlias is an alias of the library.
type libraryAlias struct {
	file  *libraryFile
	nth   int    // of the file's aliases
	name  string // as scripts spell it
	parts []namePart
}

// alias parses the file that declares it.
func (a *libraryAlias) alias() alias {
	file, nth := a.file.parsed(), 0
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.AliasDecl); ok {
			if nth == a.nth {
				return alias{file, d}
			}
			nth++
		}
	}
	panic("the index of the tapset library and the alias " + a.name + " do not agree")
}

// nameParts splits the name. What arguments it has only the declaration tells.
func (a *libraryAlias) nameParts() []namePart {
	if a.parts != nil {
		return a.parts
	}
	for rest := a.name; rest != ""; rest = strings.TrimPrefix(rest, ".") {
		end := strings.IndexFunc(rest, func(r rune) bool { return !inWord(r) })
		if end < 0 {
			end = len(rest)
		}
		a.parts = append(a.parts, namePart{name: rest[:end], any: true})
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
	f := &libraryFile{src: *src, env: env}
	f.names = declaredIn(f.parsed())
	if f.diags.Err() == nil {
		lib.add(f)
	}
	return f.diags
}

// add makes what a file declares known.
func (lib *Library) add(f *libraryFile) {
	lib.files = append(lib.files, f)
	for _, name := range f.names.functions {
		lib.functions[name] = append(lib.functions[name], f)
	}
	for _, name := range f.names.globals {
		lib.globals[name] = f
	}
	for i, name := range f.names.aliases {
		a := &libraryAlias{file: f, nth: i, name: name}
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
			return slices.ContainsFunc(lib.aliases, func(a *libraryAlias) bool { return a.name == name })
		})
}

func inWord(r rune) bool { return r != '.' && r != '(' }

// candidates returns the aliases whose name pt may begin with, arguments in it aside.
func (lib *Library) candidates(pt *syntax.ProbePoint) (list []*libraryAlias) {
	aliases := lib.aliases
	if first := pt.Components[0].Name; !strings.Contains(first, "*") {
		aliases = lib.beginning[first]
	}
	for _, a := range aliases {
		if _, ok := beginsWith(pt.Components, a.nameParts()); ok {
			list = append(list, a)
		}
	}
	return list
}

// Files returns the library's files, in the order of folders and names. All are parsed for it.
func (lib *Library) Files() []*syntax.File {
	files := make([]*syntax.File, len(lib.files))
	for i, f := range lib.files {
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

// declared is what a file declares for others, in the order in which it does.
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
