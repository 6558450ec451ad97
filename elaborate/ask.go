// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/internal/kernels"
	"gostap/internal/panics"
	"gostap/translator/syntax"
)

// A SourceFunc is a function with the lines of its source.
type SourceFunc struct {
	Name  string       `json:"name"`
	File  string       `json:"file"`
	Line  int          `json:"line"`
	Lines []SourceLine `json:"lines"`
}

// A SourceLine is one line, and at how many addresses it can be probed: one for
// the function and each of its inlined copies; 0 for lines without code.
type SourceLine struct {
	Line   int    `json:"line"`
	Places int    `json:"places"`
	Text   string `json:"text,omitempty"` // if the source is at hand
}

// Lines returns the functions that what stands for, NAME, NAME@FILE or a file,
// with their lines, by debuginfo. The source is looked for in folders too.
func Lines(target *Target, what string, folders []string) ([]SourceFunc, error) {
	text := what
	if !strings.Contains(what, "@") && (strings.Contains(what, "/") || strings.Contains(what, ".")) {
		text = "*@" + what
	}
	info, err := target.debuginfo.installed(functionPoint(text)), error(nil)
	if info == nil {
		info, err = target.Debuginfo()
	}
	if errors.Is(err, dwarf.ErrNone) {
		if held, err := target.debuginfo.held(); err == nil {
			return nil, errors.Errorf("the lines of %q are not in the probe cache, which holds %s; and debuginfo is not installed: %s",
				what, enumerate(held.points, 5), target.installDebuginfo())
		}
		return nil, errors.Errorf("the lines of functions are known only from debuginfo, which is not installed: %s", target.installDebuginfo())
	}
	if err != nil {
		return nil, err
	}
	p, err := parsePattern(text)
	if err != nil {
		return nil, err
	}
	var list []SourceFunc
	read := map[string][]string{}
	for _, f := range info.Match(p.matchesName, p.matchesFile) {
		lines, ok := read[f.File]
		if !ok {
			lines = sourceText(target.Release, f.File, folders)
			read[f.File] = lines
		}
		sf, err := sourceFunc(info, f, lines)
		if err != nil {
			return nil, err
		}
		if len(sf.Lines) > 0 {
			list = append(list, sf)
		}
	}
	if len(list) == 0 {
		return nil, errors.Errorf("no function or file with code matches %q", what)
	}
	slices.SortStableFunc(list, func(a, b SourceFunc) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return list, nil
}

// functionPoint returns kernel.function("WHAT").
func functionPoint(what string) *syntax.ProbePoint {
	return &syntax.ProbePoint{Components: []*syntax.Component{{Name: "kernel"}, {Name: "function", Arg: &syntax.StringLit{Value: what}}}}
}

func sourceFunc(info *dwarf.Info, f dwarf.Func, text []string) (SourceFunc, error) {
	sf := SourceFunc{Name: f.Name, File: f.File, Line: f.Line}
	places := map[int]int{}
	last := 0
	for _, in := range f.Instances() {
		list, err := info.Statements(in)
		if err != nil {
			return sf, err
		}
		for _, st := range list {
			places[st.Line]++
			last = max(last, st.Line)
		}
	}
	for n := f.Line; n <= last; n++ {
		line := SourceLine{Line: n, Places: places[n]}
		if n <= len(text) {
			line.Text = text[n-1]
		}
		if line.Places > 0 || text != nil {
			sf.Lines = append(sf.Lines, line)
		}
	}
	return sf, nil
}

// sourceText returns the lines of a source file, nil if it is not at hand.
func sourceText(release, file string, folders []string) []string {
	base, _, _ := strings.Cut(release, "-")
	version := base
	if parts := strings.SplitN(base, ".", 3); len(parts) == 3 {
		version = parts[0] + "." + parts[1]
	}
	folders = append(slices.Clip(folders), kernels.Find(release).Source(), "/usr/src/linux-source-"+version, "/usr/src/linux-"+base)
	for _, dir := range folders {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err == nil {
			return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		}
	}
	return nil
}

// PointVars are the variables at one place.
type PointVars struct {
	Point     string     `json:"point"`
	Variables []PointVar `json:"variables"`
}

// A PointVar is a variable, and whether it has a value at the place.
type PointVar struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Param  bool     `json:"param,omitempty"`
	Here   bool     `json:"here"`
	Entry  bool     `json:"entry,omitempty"`  // as it was at the function's entry, which takes a probe there
	Why    string   `json:"why,omitempty"`    // it has none
	Ranges []string `json:"ranges,omitempty"` // code at which it has one; none: all of the function, or none, by Here
}

// Vars returns the variables at the places that a probe point stands for.
func Vars(patterns []*syntax.ProbePoint, lib *Library, target *Target) ([]PointVars, syntax.Diagnostics) {
	s := newSession(lib, target)
	defer panics.At(&s.at)
	var list []PointVars
	for _, pt := range patterns {
		found, d := s.point(pt, path{})
		if d != nil {
			s.diags = append(s.diags, d)
		}
		for _, r := range found {
			list = append(list, PointVars{r.place.Point.Name, variablesAt(r.place.Vars)})
		}
	}
	return list, s.diags
}

// variablesAt lists what debuginfo, or else BTF, knows at a place.
func variablesAt(vars Resolver) []PointVar {
	v, ok := vars.(*functionVars)
	if !ok || v.scope() == nil {
		if vars == nil {
			return nil
		}
		var list []PointVar
		for _, one := range vars.List() {
			name, kind, _ := strings.Cut(strings.TrimPrefix(one, "$"), ":")
			list = append(list, PointVar{Name: name, Type: kind, Here: true})
		}
		return list
	}
	s := v.scope()
	types := s.info.Types()
	var list []PointVar
	if v.ret && types.Strip(s.Result()) != 0 {
		list = append(list, PointVar{Name: "return", Type: types.String(s.Result()), Here: true})
	}
	for _, one := range s.Variables() {
		pv := PointVar{Name: one.Name, Type: types.String(one.Type), Param: one.Param}
		loc, err := one.Location()
		pv.Here = err == nil
		pv.Entry = err == nil && loc.AtEntry()
		if err != nil {
			pv.Why = err.Error()
		}
		ranges, _ := one.Ranges()
		for _, r := range ranges {
			pv.Ranges = append(pv.Ranges, s.spell(r))
		}
		list = append(list, pv)
	}
	return list
}
