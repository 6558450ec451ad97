// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"slices"
	"strings"

	"gostap/elaborate/btf"
	"gostap/elaborate/symbols"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

func init() {
	register(tracepoint, "kernel.trace(string)")
}

// tracepoint builds kernel.trace: the kernel's tracepoints, by "name" or "system:name".
// Wildcards find those of loaded modules besides; and what is not there at all is
// looked for in all modules.
func tracepoint(s *session, m match) ([]*Place, *syntax.Diagnostic) {
	pattern := m.text("trace")
	k, err := s.target.Kernel()
	if err != nil {
		s.broken = s.target.complain(m.at(), err)
		return nil, s.broken
	}
	all, err := k.Tracepoints()
	if err != nil {
		return nil, s.target.complain(m.at(), err)
	}
	wild := strings.ContainsAny(pattern, "*?[")
	var places []*Place
	found := symbols.MatchTracepoints(all, pattern)
	for i := range found {
		places = append(places, tracePlace(s, m, &found[i], nil, wild))
	}
	if len(places) > 0 {
		if wild {
			places = append(places, s.loadedTracepoints(m)...)
		}
		return places, nil
	}
	// Only what the kernel itself does not have is looked for in all modules: first
	// in the one that is called as the system is, which spares reading them all.
	tree, err := s.target.modules()
	if err != nil {
		return nil, s.target.complain(m.at(), err)
	}
	system, _, both := strings.Cut(pattern, ":")
	tries := [][]string{tree.Glob("*")}
	if both && !wild {
		tries = append([][]string{tree.Glob(system)}, tries...)
	}
	for _, names := range tries {
		more, err := s.target.eachModule(tree, names, func(module *openModule, list []symbols.Tracepoint) {
			places = append(places, moduleTracepoints(s, m, list, module, wild)...)
		})
		if err != nil {
			return nil, s.target.complain(m.at(), err)
		}
		if len(places) > 0 {
			return places, nil
		}
		all = append(all, more...)
	}
	return nil, noTracepoint(k, m, all, pattern)
}

// loadedTracepoints returns the places of the tracepoints of a pattern in the modules
// that are loaded.
func (s *session) loadedTracepoints(m match) (places []*Place) {
	tree, err := s.target.modules()
	if err != nil {
		return nil
	}
	names := slices.DeleteFunc(slices.Clone(s.target.loaded()), func(name string) bool { return tree[name] == "" })
	_, err = s.target.eachModule(tree, names, func(module *openModule, list []symbols.Tracepoint) {
		places = append(places, moduleTracepoints(s, m, list, module, true)...)
	})
	if err != nil {
		s.diags.Warnf(m.at(), "loaded modules' tracepoints are left out: %v", err)
		return nil
	}
	return places
}

// moduleTracepoints returns the places of those of a module's tracepoints that a
// probe point stands for.
func moduleTracepoints(s *session, m match, list []symbols.Tracepoint, module *openModule, wild bool) (places []*Place) {
	found := symbols.MatchTracepoints(list, m.text("trace"))
	for i := range found {
		places = append(places, tracePlace(s, m, &found[i], module, wild))
	}
	return places
}

// eachModule calls visit with the tracepoints of each module, and returns those
// of all.
func (t *Target) eachModule(tree symbols.ModuleTree, names []string, visit func(*openModule, []symbols.Tracepoint)) ([]symbols.Tracepoint, error) {
	if err := tree.Read(names); err != nil {
		return nil, err
	}
	var all []symbols.Tracepoint
	for _, name := range names {
		m, err := t.module(tree[name])
		if err != nil {
			return nil, err
		}
		list, err := m.Tracepoints()
		if err != nil {
			return nil, err
		}
		visit(m, list)
		all = append(all, list...)
	}
	return all, nil
}

func tracePlace(s *session, m match, t *symbols.Tracepoint, module *openModule, wild bool) *Place {
	return &Place{
		Wild: wild,
		Point: &program.Point{
			At:     m.at(),
			Family: "tracepoint",
			Name:   fmt.Sprintf("kernel.trace(%q)", t),
			Module: t.Module,
			Symbol: t.Symbol(),

			SymbolOffset: t.Offset,
		},
		Vars: &functionVars{target: s.target, module: module, name: t.String(), trace: t},
	}
}

// noTracepoint is the error for a pattern that stands for none.
func noTracepoint(k *symbols.Kernel, m match, all []symbols.Tracepoint, pattern string) *syntax.Diagnostic {
	d := m.errorf("kernel %s has no tracepoint %q", k.Release, pattern)
	system, name, both := strings.Cut(pattern, ":")
	if both && (strings.HasPrefix(name, "sys_enter_") || strings.HasPrefix(name, "sys_exit_")) {
		entry, _, _ := strings.Cut(strings.TrimPrefix(name, "sys_"), "_")
		d.Hint = fmt.Sprintf("trace events of single system calls have no tracepoints of their own: all calls go through raw_syscalls:sys_%s", entry)
		return d
	}
	if near := symbols.NearestTracepoints(all, pattern, 3); len(near) > 0 {
		d.Hint = didYouMean(near)
		return d
	}
	if both {
		if elsewhere := symbols.MatchTracepoints(all, name); len(elsewhere) > 0 && len(elsewhere) < len(all) {
			d.Hint = didYouMean([]string{elsewhere[0].String()})
		} else if near := symbols.MatchTracepoints(all, system+":*"); len(near) > 0 {
			d.Hint = fmt.Sprintf("gostap -l 'kernel.trace(\"%s:*\")' lists those of %s", system, system)
		}
	}
	return d
}

// traceProto returns what a tracepoint's probes take, nil if BTF does not say.
// The kernel has functions with these parameters for each tracepoint:
// __traceiter_NAME, since Linux 5.10, and __probestub_NAME. The typedef
// btf_trace_NAME has no names: its parameters are arg1, arg2 and so on.
func traceProto(types *btf.Spec, name string) *btf.Proto {
	for _, prefix := range []string{"__traceiter_", "__probestub_"} {
		for _, id := range types.Find(prefix+name, btf.Function) {
			if p, ok := types.Proto(id); ok && len(p.Params) > 0 {
				return visible(p)
			}
		}
	}
	for _, id := range types.Find("btf_trace_"+name, btf.Typedef) {
		if p, ok := types.Proto(types.Target(types.Target(id))); ok && len(p.Params) > 0 {
			p = visible(p)
			for i := range p.Params {
				p.Params[i].Name = fmt.Sprintf("arg%d", i+1)
			}
			return p
		}
	}
	return nil
}

// visible drops the first parameter, which is the probe's own data.
func visible(p *btf.Proto) *btf.Proto {
	p.Params, p.Result = p.Params[1:], 0
	return p
}

// traceLocation returns where the i-th parameter of a tracepoint is. The first
// register carries the probe's own data, and the runtime's stack pointer is
// behind the return address.
func traceLocation(types *btf.Spec, p *btf.Proto, i int, at syntax.Pos) *location {
	l := argLocation(types, p, i, 1, 0, at)
	l.store = nil
	return l
}
