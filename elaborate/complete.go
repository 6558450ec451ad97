// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"sort"
	"strings"

	"gostap/elaborate/symbols"
)

// maxCompletions bounds what a shell is asked to show.
const maxCompletions = 1000

// Complete returns the probe points, or the beginnings of some, that text is a
// beginning of: kernel.function("vfs_re → kernel.function("vfs_read"), …
func Complete(text string, lib *Library, target *Target) []string {
	at, path := families, []string{}
	rest := text
	for {
		name, after, more := strings.Cut(rest, "(")
		if dot := strings.IndexByte(name, '.'); dot >= 0 {
			name, after, more = rest[:dot], rest[dot+1:], true
			if at = at.next[component{name, ""}]; at == nil {
				return completeAlias(text, lib)
			}
			path, rest = append(path, name), after
			continue
		}
		if !more {
			return at.complete(text[:len(text)-len(rest)], name, text, lib)
		}
		value, kind, after, closed := argument(after)
		next := at.next[component{name, kind}]
		if next == nil {
			return nil
		}
		if !closed {
			return completeArgument(append(path, name), text[:len(text)-len(value)], value, target)
		}
		at, path, rest = next, append(path, name+"="+value), strings.TrimPrefix(after, ".")
		if rest == after {
			return nil // behind the ) comes a dot
		}
	}
}

// argument splits what stands behind a component's parenthesis.
func argument(text string) (value, kind, after string, closed bool) {
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		value, after, closed = strings.Cut(quoted, `")`)
		return value, "string", after, closed
	}
	value, after, closed = strings.Cut(text, ")")
	return value, "number", after, closed
}

// complete lists what can stand at a level; components with a string are opened.
func (at *level) complete(before, name, text string, lib *Library) []string {
	var list []string
	for c := range at.next {
		if !strings.HasPrefix(c.name, name) {
			continue
		}
		switch c.arg {
		case "string":
			list = append(list, before+c.name+`("`)
		case "number":
			list = append(list, before+c.name+"(")
		default:
			list = append(list, before+c.name)
		}
	}
	if before == "" {
		list = append(list, completeAlias(text, lib)...)
	}
	sort.Strings(list)
	return list
}

func completeAlias(text string, lib *Library) []string {
	var list []string
	for _, a := range lib.aliases {
		if name := spell(a.decl.Name); strings.HasPrefix(name, text) {
			list = append(list, name)
		}
	}
	return list
}

// completeArgument lists the names that a string may go on to. path are the
// components up to the one that the string is in; those before it are written
// name=value.
func completeArgument(path []string, before, value string, target *Target) []string {
	var names []string
	k, err := target.Kernel()
	if err != nil {
		return nil
	}
	switch component := path[len(path)-1]; component {
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
	var list []string
	for i, name := range names {
		if list = append(list, before+name+`")`); i+1 == maxCompletions {
			break
		}
	}
	return list
}

// functionNames returns those that begin with prefix and can be probed, of the
// kernel or of the module in path.
func functionNames(path []string, k *symbols.Kernel, prefix string, target *Target) []string {
	in := &k.Functions
	for _, p := range path {
		if name, ok := strings.CutPrefix(p, "module="); ok {
			tree, err := k.Modules()
			if err != nil {
				return nil
			}
			file, err := target.module(tree[strings.ReplaceAll(name, "-", "_")])
			if err != nil {
				return nil
			}
			in = &file.Functions
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

// tracepointNames completes system: first, unless what is there begins a name alone.
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
