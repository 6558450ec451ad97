// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"
	"slices"
	"strings"

	"gostap/elaborate/image"
	"gostap/elaborate/symbols"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

func init() {
	register(tracepoint, "kernel.trace(string)")
}

// tracepoint builds kernel.trace: the kernel's tracepoints, by "name" or "system:name".
// Wildcards find those of loaded modules, too; a name that neither the kernel nor these
// have is searched in all modules.
func tracepoint(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	pattern := tracepointPattern(m)
	kernel, d := c.kernel(m)
	if d != nil {
		return nil, d
	}
	k, _ := c.Target.Kernel()
	all, err := k.Tracepoints()
	if err != nil {
		return nil, c.Target.Complain(m.At, err)
	}
	wild := strings.ContainsAny(pattern, "*?[")
	var sites []*ProbeSite
	found := symbols.MatchTracepoints(all, pattern)
	for i := range found {
		sites = append(sites, traceSite(c, m, &found[i], kernel, wild))
	}
	if len(sites) > 0 {
		if wild {
			sites = append(sites, c.loadedTracepoints(m)...)
		}
		return sites, nil
	}
	// A name that the kernel itself does not have is searched in all modules.
	elsewhere, err := k.ModuleTracepoints()
	if err != nil {
		return nil, c.Target.Complain(m.At, err)
	}
	matching := symbols.MatchTracepoints(elsewhere, pattern)
	if len(matching) == 0 {
		return nil, noTracepoint(k, m, append(all, elsewhere...), pattern)
	}
	tree, err := c.Target.Modules()
	if err != nil {
		return nil, c.Target.Complain(m.At, err)
	}
	var names []string
	for _, t := range matching {
		names = append(names, t.Module)
	}
	slices.Sort(names)
	err = eachModule(c.Target, tree, slices.Compact(names), func(module image.Image, list []symbols.Tracepoint) {
		sites = append(sites, moduleTracepoints(c, m, list, module, wild)...)
	})
	if err != nil {
		return nil, c.Target.Complain(m.At, err)
	}
	if len(sites) == 0 { // the modules' files have changed since
		return nil, noTracepoint(k, m, append(all, elsewhere...), pattern)
	}
	return sites, nil
}

// tracepointPattern is the pattern of kernel.trace: before ":name", any system may stand.
func tracepointPattern(m match) string { return strings.TrimPrefix(m.Text("trace"), ":") }

// loadedTracepoints returns the sites of the tracepoints of a pattern in the modules
// that are loaded.
func (c *Context) loadedTracepoints(m match) (sites []*ProbeSite) {
	tree, err := c.Target.Modules()
	if err != nil {
		return nil
	}
	names := slices.DeleteFunc(slices.Clone(c.Target.Loaded()), func(name string) bool { return tree[name] == "" })
	err = eachModule(c.Target, tree, names, func(module image.Image, list []symbols.Tracepoint) {
		sites = append(sites, moduleTracepoints(c, m, list, module, true)...)
	})
	if err != nil {
		c.Diags.Warnf(m.At, "loaded modules' tracepoints are left out: %v", err)
		return nil
	}
	return sites
}

// moduleTracepoints returns the sites of those of a module's tracepoints that a
// probe point stands for.
func moduleTracepoints(c *Context, m match, list []symbols.Tracepoint, module image.Image, wild bool) (sites []*ProbeSite) {
	found := symbols.MatchTracepoints(list, tracepointPattern(m))
	for i := range found {
		sites = append(sites, traceSite(c, m, &found[i], module, wild))
	}
	return sites
}

// eachModule calls visit with the tracepoints of each module.
func eachModule(t *image.Target, tree symbols.ModuleTree, names []string, visit func(image.Image, []symbols.Tracepoint)) error {
	if err := tree.Read(names); err != nil {
		return err
	}
	for _, name := range names {
		m, err := t.Module(tree[name])
		if err != nil {
			return err
		}
		list, err := m.File.Tracepoints()
		if err != nil {
			return err
		}
		visit(m, list)
	}
	return nil
}

func traceSite(c *Context, m match, t *symbols.Tracepoint, in image.Image, wild bool) *ProbeSite {
	return &ProbeSite{
		Wild: wild,
		Point: &program.Point{
			At:     m.At,
			Family: "tracepoint",
			Name:   fmt.Sprintf("kernel.trace(%q)", t),
			Site:   program.Site{Image: in.ID(), Symbol: t.Symbol(), SymbolOffset: t.Offset},
		},
		Vars: c.Tracepoint(in, t),
	}
}

// noTracepoint is the error for a pattern that matches none.
func noTracepoint(k *symbols.Kernel, m match, all []symbols.Tracepoint, pattern string) *syntax.Diagnostic {
	d := m.Errorf("kernel %s has no tracepoint %q", k.Release, pattern)
	system, name, both := strings.Cut(pattern, ":")
	if both && (strings.HasPrefix(name, "sys_enter_") || strings.HasPrefix(name, "sys_exit_")) {
		entry, _, _ := strings.Cut(strings.TrimPrefix(name, "sys_"), "_")
		d.Hint = fmt.Sprintf("trace events of single system calls have no tracepoints of their own: all calls go through raw_syscalls:sys_%s", entry)
		return d
	}
	if near := symbols.NearestTracepoints(all, pattern, 3); len(near) > 0 {
		d.Hint = suggest.DidYouMean(near)
		return d.InStap("no match%s", suggest.Similar("tracepoints", near))
	}
	if both {
		if elsewhere := symbols.MatchTracepoints(all, name); len(elsewhere) > 0 && len(elsewhere) < len(all) {
			d.Hint = suggest.DidYouMean([]string{elsewhere[0].String()})
		} else if near := symbols.MatchTracepoints(all, system+":*"); len(near) > 0 {
			d.Hint = fmt.Sprintf("gostap -l 'kernel.trace(\"%s:*\")' lists those of %s", system, system)
		}
	}
	return d
}
