// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"io/fs"
	slashpath "path"
	"strings"

	"gostap/elaborate/probepoint"
	"gostap/internal/panics"
	"gostap/translator/syntax"
)

// A Library is the parsed tapset library: what scripts may refer to without
// declaring it.
type Library struct {
	files     []*syntax.File
	functions map[string][]function
	globals   map[string]*syntax.File
	aliases   []alias
}

// A function is one variant of a library function, with the file it stands in.
type function struct {
	file *syntax.File
	decl *syntax.FunctionDecl
}

// An alias is one declared probe alias.
type alias struct {
	file *syntax.File
	decl *syntax.AliasDecl
}

// A Folder is a tree of tapset files.
type Folder struct {
	FS   fs.FS
	Path string // what diagnostics call its root
}

// LoadLibrary parses every .stp file in folders, the macros of their .stpm
// files first, which it adds to env. A file that does not parse is left out,
// with its diagnostics.
func LoadLibrary(env *syntax.Env, folders ...Folder) (*Library, syntax.Diagnostics) {
	var diags syntax.Diagnostics
	var scripts []*syntax.Source
	if env.Macros == nil {
		env.Macros = syntax.NewMacros()
	}
	for _, folder := range folders {
		err := fs.WalkDir(folder.FS, ".", func(name string, entry fs.DirEntry, err error) error {
			origin := syntax.Tapset
			switch {
			case err != nil:
				return err
			case strings.HasSuffix(name, ".stpm"):
				origin = syntax.Macros
			case !strings.HasSuffix(name, ".stp"):
				return nil
			}
			text, err := fs.ReadFile(folder.FS, name)
			if err != nil {
				return err
			}
			src := &syntax.Source{Path: slashpath.Join(folder.Path, name), Text: text, Origin: origin}
			if origin == syntax.Macros {
				diags = append(diags, env.Macros.Load(src, env)...)
			} else {
				scripts = append(scripts, src)
			}
			return nil
		})
		if err != nil {
			diags.Errorf(syntax.Pos{}, "tapset folder %s: %v", folder.Path, err)
		}
	}

	files := make([]*syntax.File, len(scripts))
	found := make([]syntax.Diagnostics, len(scripts))
	var group panics.Group
	for i, src := range scripts {
		group.Go(func() { files[i], found[i] = syntax.Parse(src, env) })
	}
	group.Wait()
	lib := &Library{functions: map[string][]function{}, globals: map[string]*syntax.File{}}
	for i, file := range files {
		diags = append(diags, found[i]...)
		if found[i].Err() == nil {
			lib.add(file)
		}
	}
	return lib, diags
}

// Add parses another script and adds it to the library, if it parses.
func (lib *Library) Add(src *syntax.Source, env *syntax.Env) syntax.Diagnostics {
	file, diags := syntax.Parse(src, env)
	if diags.Err() == nil {
		lib.add(file)
	}
	return diags
}

// add indexes what a file declares for others.
func (lib *Library) add(file *syntax.File) {
	lib.files = append(lib.files, file)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *syntax.FunctionDecl:
			if !d.Private {
				lib.functions[d.Name] = append(lib.functions[d.Name], function{file, d})
			}
		case *syntax.GlobalDecl:
			if !d.Private {
				lib.globals[d.Name] = file
			}
		case *syntax.AliasDecl:
			lib.aliases = append(lib.aliases, alias{file, d})
		}
	}
}

// Files returns the library's files, in the order of folders and names.
func (lib *Library) Files() []*syntax.File { return lib.files }

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
	names := make([]string, 0, len(lib.aliases))
	for _, a := range lib.aliases {
		names = append(names, probepoint.Spell(a.decl.Name))
	}
	return names
}
