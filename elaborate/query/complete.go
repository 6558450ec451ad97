// SPDX-License-Identifier: GPL-2.0-or-later

package query

import (
	"slices"
	"sort"
	"strings"

	"gostap/elaborate/executable"
	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/elaborate/probetype"
	"gostap/elaborate/symbols"
)

// maxCompletions bounds the completions that a shell gets.
const maxCompletions = 1000

// Complete returns the probe points, or the beginnings of some, that text is a
// beginning of: kernel.function("vfs_re → kernel.function("vfs_read"), …
func Complete(text string, lib *library.Library, target *image.Target) []string {
	var before []probetype.Component
	var path []string
	rest := text
	for {
		name, after, more := strings.Cut(rest, "(")
		if dot := strings.IndexByte(name, '.'); dot >= 0 {
			name, after = rest[:dot], rest[dot+1:]
			before = append(before, probetype.Component{Name: name})
			if _, ok := probetype.Next(before); !ok {
				return completeAlias(text, lib)
			}
			path, rest = append(path, name), after
			continue
		}
		if !more {
			next, _ := probetype.Next(before)
			return complete(next, text[:len(text)-len(rest)], name, text, lib)
		}
		value, kind, after, closed := argument(after)
		before = append(before, probetype.Component{Name: name, Arg: kind})
		if _, ok := probetype.Next(before); !ok {
			return nil
		}
		if !closed {
			return completeArgument(append(path, name), text[:len(text)-len(value)], value, target)
		}
		path, rest = append(path, name+"="+value), strings.TrimPrefix(after, ".")
		if rest == after {
			return nil // a dot must follow the )
		}
	}
}

// argument splits the text behind a component's parenthesis.
func argument(text string) (value, kind, after string, closed bool) {
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		value, after, closed = strings.Cut(quoted, `")`)
		return value, "string", after, closed
	}
	value, after, closed = strings.Cut(text, ")")
	return value, "number", after, closed
}

// complete lists the components that can follow; those with a string argument end in (".
func complete(next []probetype.Component, before, name, text string, lib *library.Library) []string {
	var list []string
	for _, c := range next {
		if !strings.HasPrefix(c.Name, name) {
			continue
		}
		switch c.Arg {
		case "string":
			list = append(list, before+c.Name+`("`)
		case "number":
			list = append(list, before+c.Name+"(")
		default:
			list = append(list, before+c.Name)
		}
	}
	if before == "" {
		list = append(list, completeAlias(text, lib)...)
	}
	sort.Strings(list)
	return list
}

func completeAlias(text string, lib *library.Library) []string {
	return slices.DeleteFunc(lib.AliasNames(), func(name string) bool { return !strings.HasPrefix(name, text) })
}

// completeArgument lists the completions of a string argument. path are the components
// up to the one with the string; those before it are written name=value.
func completeArgument(path []string, before, value string, target *image.Target) []string {
	var names []string
	component := path[len(path)-1]
	if program, ok := strings.CutPrefix(path[0], "process"); ok {
		if component == "function" {
			names = programFunctionNames(strings.TrimPrefix(program, "="), value, target)
		}
	} else if k, err := target.Kernel(); err == nil {
		switch component {
		case "function":
			names = functionNames(path, k, value, target)
		case "trace":
			names = tracepointNames(k, value)
		case "module":
			if tree, err := k.Modules(); err == nil {
				names = tree.Glob(value + "*")
			}
		case "data":
			names = k.ObjectNames(value)
		}
	}
	var list []string
	for i, name := range names {
		if list = append(list, before+name+`")`); i+1 == maxCompletions {
			break
		}
	}
	return list
}

// programFunctionNames returns the names of a program's functions that begin with prefix.
func programFunctionNames(program, prefix string, target *image.Target) (names []string) {
	paths, err := executable.Find(program)
	if err != nil {
		return nil
	}
	for _, path := range paths {
		p, err := target.Program(path)
		if err != nil {
			return nil
		}
		for _, f := range p.Symbols().Glob(prefix + "*") {
			names = append(names, f.Name)
		}
	}
	return names
}

// functionNames returns the names of functions that begin with prefix and can be probed, of the
// kernel or of the module in path.
func functionNames(path []string, k *symbols.Kernel, prefix string, target *image.Target) []string {
	in := &k.Functions
	for _, p := range path {
		if name, ok := strings.CutPrefix(p, "module="); ok {
			tree, err := k.Modules()
			if err != nil {
				return nil
			}
			file, err := target.Module(tree[strings.ReplaceAll(name, "-", "_")])
			if err != nil {
				return nil
			}
			in = file.Symbols()
		}
	}
	var names []string
	for _, f := range in.Glob(prefix + "*") {
		if f.Refusal == symbols.Probeable && !strings.Contains(f.Name, ".") {
			names = append(names, f.Name)
		}
	}
	return names
}

// tracepointNames completes system: first, unless the text is the beginning of a name.
func tracepointNames(k *symbols.Kernel, prefix string) []string {
	all, err := k.Tracepoints()
	if err != nil {
		return nil
	}
	var names []string
	for i := range all {
		if s := all[i].String(); strings.HasPrefix(s, prefix) {
			names = append(names, s)
		}
	}
	for i := range all {
		if prefix != "" && strings.HasPrefix(all[i].Name, prefix) && all[i].System != "" {
			names = append(names, all[i].Name)
		}
	}
	return names
}
