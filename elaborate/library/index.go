// SPDX-License-Identifier: GPL-2.0-or-later

package library

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gostap/internal/cache"
	"gostap/translator/syntax"
)

// An index is lines, each a letter and what it says:
//
//	? NAME=VALUE   the files depend on this value of a configuration option of the kernel's
//	$ HASH         the files depend on these arguments of the script
//	m FILE         a file of macros
//	s FILE         a script; d FILE: one that has diagnostics
//	f NAME         what the script above declares: a function,
//	g NAME         a global,
//	a NAME         an alias
const (
	indexVersion = "gostap-library-1\n"
	indexFile    = "index"
	indexLimit   = 8 << 20 // bytes of the cache for indexes
)

// macroKey is a hash of the macros of all parts: a macro may change the declarations of scripts in
// other parts.
func macroKey(parts []*part) string {
	h := sha256.New()
	for _, p := range parts {
		addText(h, p.folder.Version)
		addFiles(h, p.macros)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// indexKey names the part's index in the cache.
func (p *part) indexKey(macros string) string {
	h := sha256.New()
	e := p.env
	for _, s := range []string{indexVersion, macros, e.KernelVR, e.Arch, e.Runtime, fmt.Sprint(e.Guru), e.Privilege, e.StapVersion, fmt.Sprint(e.Config != nil), p.folder.Version} {
		addText(h, s)
	}
	addFiles(h, p.scripts)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func addText(h hash.Hash, text string) {
	fmt.Fprintf(h, "%d:", len(text))
	io.WriteString(h, text)
}

func addFiles(h hash.Hash, files []*file) {
	fmt.Fprintf(h, "%d:", len(files))
	for _, f := range files {
		addText(h, f.name)
		fmt.Fprintf(h, "%d:", len(f.src.Text))
		h.Write(f.src.Text)
	}
}

// readIndex fills in the part from its index; false if there is no valid one. Files with diagnostics are parsed.
func (p *part) readIndex(deps *dependencies) bool {
	dir := cache.Path("library", p.key)
	data, err := os.ReadFile(filepath.Join(dir, indexFile))
	if err != nil {
		return false
	}
	text, ok := strings.CutPrefix(string(data), indexVersion)
	if !ok {
		return false
	}
	texts := map[string][]byte{} // texts of files that have been read already
	for _, f := range append(p.macros, p.scripts...) {
		texts[f.name] = f.src.Text
	}
	var macros, scripts, diagnosed []*file
	var last *file
	for line := range strings.Lines(text) {
		if len(line) < 3 {
			return false
		}
		kind, value := line[0], line[2:len(line)-1]
		switch kind {
		case 'm', 's', 'd':
			last = p.file(value)
			last.src.Text = texts[value]
		}
		switch kind {
		case '?', '$':
			if !deps.unchanged(kind, value) {
				return false
			}
		case 'm':
			macros = append(macros, last)
		case 'd':
			diagnosed = append(diagnosed, last)
			fallthrough
		case 's':
			scripts = append(scripts, last)
		case 'f':
			last.names.functions = append(last.names.functions, value)
		case 'g':
			last.names.globals = append(last.names.globals, value)
		case 'a':
			last.names.aliases = append(last.names.aliases, value)
		}
	}
	p.macros, p.scripts, p.diagnosed = macros, scripts, diagnosed
	cache.Use(dir)
	return true
}

// writeIndex writes the part's index. If the cache can't be written, the part is parsed each time.
func (p *part) writeIndex(deps *dependencies) {
	for _, f := range append(p.macros, p.scripts...) {
		deps.addArguments(f.src.Text)
		if strings.Contains(f.name, "\n") {
			return // such a name does not fit into a line
		}
	}
	b := bytes.NewBufferString(indexVersion)
	deps.write(b)
	for _, f := range p.macros {
		fmt.Fprintf(b, "m %s\n", f.name)
	}
	for _, f := range p.scripts {
		kind := "s"
		if len(f.diags) > 0 {
			kind = "d"
		}
		fmt.Fprintf(b, "%s %s\n", kind, f.name)
		for _, list := range []struct {
			kind  string
			names []string
		}{{"f", f.names.functions}, {"g", f.names.globals}, {"a", f.names.aliases}} {
			for _, name := range list.names {
				fmt.Fprintf(b, "%s %s\n", list.kind, name)
			}
		}
	}
	if cache.Write(cache.Path("library", p.key, indexFile), b.Bytes()) == nil {
		cache.Prune(cache.Path("library"), indexLimit)
	}
}

// Derived returns the result of derive for the files of the folder with a Path, and a hash of it. If the library was
// opened by Open, both are cached, as name and name.key beside the folder's index, and text reads or computes the result when it is wanted.
func (lib *Library) Derived(path, name string, derive func([]*syntax.File) []byte) (key string, text func() []byte) {
	i := slices.IndexFunc(lib.parts, func(p *part) bool { return p.folder.Path == path })
	if i < 0 {
		return "", func() []byte { return nil }
	}
	p := lib.parts[i]
	kept := func(name string, make func() []byte) []byte {
		if p.key == "" {
			return make()
		}
		file := cache.Path("library", p.key, name)
		data, err := os.ReadFile(file)
		if err != nil {
			data = make()
			cache.Write(file, data)
		}
		return data
	}
	text = func() []byte {
		return kept(name, func() []byte {
			var files []*syntax.File
			for _, f := range p.scripts {
				if f.diags.Err() == nil {
					files = append(files, f.parsed())
				}
			}
			return derive(files)
		})
	}
	return string(kept(name+".key", func() []byte {
		sum := sha256.Sum256(text())
		return []byte(hex.EncodeToString(sum[:]))
	})), text
}
