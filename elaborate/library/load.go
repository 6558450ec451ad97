// SPDX-License-Identifier: GPL-2.0-or-later

package library

import (
	"io/fs"
	"strings"

	"gostap/internal/panics"
	"gostap/translator/syntax"
)

// Open opens the library that is in folders, and adds the macros of
// their .stpm files to env. What the files declare is looked up in an index,
// which the cache has for each folder's content and for the values that the
// preprocessor takes from env. All files are parsed when the index is made; later
// only those that a script refers to. A file that does not parse is left out, with
// its diagnostics as warnings.
func Open(env *syntax.Env, folders ...Folder) (*Library, syntax.Diagnostics) {
	return open(env, true, folders)
}

// Load does the same without the cache: it parses all files.
func Load(env *syntax.Env, folders ...Folder) (*Library, syntax.Diagnostics) {
	return open(env, false, folders)
}

// A part is the content of one folder.
type part struct {
	folder    *Folder
	env       *syntax.Env
	key       string // of its index in the cache; "" for none
	indexed   bool   // the index was there
	macros    []*file
	scripts   []*file
	diagnosed []*file // files of the index that have diagnostics
}

func open(env *syntax.Env, kept bool, folders []Folder) (*Library, syntax.Diagnostics) {
	lib := &Library{}
	if env.Macros == nil {
		env.Macros = syntax.NewMacros()
	}
	env, deps := recordDependencies(env)
	var diags syntax.Diagnostics
	for i := range folders {
		p := &part{folder: &folders[i], env: env}
		if folders[i].Version == "" {
			diags = append(diags, p.find()...)
		}
		lib.parts = append(lib.parts, p)
	}
	if kept {
		macros := macroKey(lib.parts)
		for _, p := range lib.parts {
			p.key = p.indexKey(macros)
			p.indexed = p.readIndex(deps)
		}
	}
	for _, p := range lib.parts {
		if !p.indexed && p.scripts == nil {
			diags = append(diags, p.find()...)
		}
		for _, f := range p.macros {
			f.read()
			diags = append(append(diags, f.diags...), env.Macros.Load(&f.src, env)...)
		}
	}
	for _, p := range lib.parts {
		p.parse()
	}
	lib.makeRoom()
	for _, p := range lib.parts {
		for _, f := range p.scripts {
			if p.folder.Fallback && (f.diags.Err() != nil || lib.declares(f.names)) {
				continue
			}
			if f.diags.Err() != nil {
				diags = append(diags, f.skipped()...)
				continue
			}
			diags = append(diags, f.diags...)
			lib.add(f)
		}
	}
	for _, p := range lib.parts {
		if p.key != "" && !p.indexed {
			p.writeIndex(deps)
		}
	}
	return lib, diags
}

// find finds the part's files. Those of a folder without a version are read.
func (p *part) find() (diags syntax.Diagnostics) {
	p.scripts = []*file{}
	err := fs.WalkDir(p.folder.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !isTapset(name) {
			return passOver(name, err)
		}
		f := p.file(name)
		if f.src.Origin == syntax.Macros {
			p.macros = append(p.macros, f)
		} else {
			p.scripts = append(p.scripts, f)
		}
		if p.folder.Version == "" {
			f.src.Text, err = fs.ReadFile(p.folder.FS, name)
		}
		return err
	})
	if err != nil {
		diags.Errorf(syntax.Pos{}, "tapset folder %s: %v", p.folder.Path, err)
	}
	return diags
}

// file is one of the part's files, by its name in the folder.
func (p *part) file(name string) *file {
	origin := syntax.Tapset
	if strings.HasSuffix(name, ".stpm") {
		origin = syntax.Macros
	}
	return &file{
		src: syntax.Source{Path: p.folder.path(name), Origin: origin},
		fs:  p.folder.FS, name: name, env: p.env,
	}
}

// parse parses the part's files, or those that its index says have diagnostics.
func (p *part) parse() {
	if p.indexed {
		for _, f := range p.diagnosed {
			f.parsed()
		}
		return
	}
	var group panics.Group
	for _, f := range p.scripts {
		group.Go(func() { f.names = declaredIn(f.parsed()) })
	}
	group.Wait()
}
