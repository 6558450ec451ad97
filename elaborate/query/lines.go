// SPDX-License-Identifier: GPL-2.0-or-later

package query

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/executable"
	"gostap/elaborate/image"
	"gostap/elaborate/probepoint"
	"gostap/internal/distro"
	"gostap/internal/kernels"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// A SourceFunc is a function with the lines of its source.
type SourceFunc struct {
	Name  string       `json:"name"`
	File  string       `json:"file"`
	Line  int          `json:"line"`
	Lines []SourceLine `json:"lines"`
}

// A SourceLine is one line, with the number of addresses at which it can be probed: one for
// the function and each of its inlined copies; 0 for lines without code.
type SourceLine struct {
	Line   int    `json:"line"`
	Places int    `json:"places"`
	Text   string `json:"text,omitempty"` // if the source is at hand
}

// Lines returns functions with their lines, by debuginfo; what is NAME, NAME@FILE or a file. The source
// is looked for in folders, too.
func Lines(target *image.Target, what string, folders []string) ([]SourceFunc, error) {
	text := pattern(what)
	info, err := target.Debuginfo().Installed(functionPoint(text)), error(nil)
	if info == nil {
		info, err = target.Debuginfo().Any()
	}
	if errors.Is(err, dwarf.ErrNone) {
		if entry, err := target.Debuginfo().Cached(); err == nil {
			return nil, errors.Errorf("the lines of %q are not in the probe cache, which holds %s; and debuginfo is not installed: %s",
				what, suggest.Enumerate(entry.Points, 5), target.InstallDebuginfo())
		}
		return nil, errors.Errorf("the lines of functions are known only from debuginfo, which is not installed: %s; %s", target.InstallDebuginfo(), distro.Doctor)
	}
	if err != nil {
		return nil, err
	}
	return linesOf(info, text, what, kernelSources(target.Release, folders))
}

// ProgramLines is Lines for the functions of a program or a library; name is as process("NAME") takes it.
func ProgramLines(target *image.Target, what, name string, folders []string) ([]SourceFunc, error) {
	paths, err := executable.Find(name)
	if err != nil {
		return nil, err
	}
	var list []SourceFunc
	for _, path := range paths {
		p, err := target.Program(path)
		if err != nil {
			return nil, err
		}
		info, err := p.Debuginfo().Any()
		if errors.Is(err, dwarf.ErrNone) {
			return nil, errors.Errorf("the lines of functions are known only from debuginfo, which %s has not", path)
		}
		if err != nil {
			return nil, err
		}
		found, err := linesOf(info, pattern(what), what, append(slices.Clip(folders), "/"))
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// pattern returns the pattern for the name of a function or a file.
func pattern(what string) string {
	if !strings.Contains(what, "@") && (strings.Contains(what, "/") || strings.Contains(what, ".")) {
		return "*@" + what
	}
	return what
}

// linesOf returns the functions of a pattern with their lines; what is the pattern's text. The source is looked for in folders.
func linesOf(info *dwarf.Info, text, what string, folders []string) ([]SourceFunc, error) {
	p, err := probepoint.ParsePattern(text)
	if err != nil {
		return nil, err
	}
	var list []SourceFunc
	read := map[string][]string{}
	for _, f := range info.Match(p.MatchesName, p.MatchesFile) {
		lines, ok := read[f.File]
		if !ok {
			lines = sourceText(f.File, folders)
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

// kernelSources returns the folders in which a kernel's source may be: the given ones first.
func kernelSources(release string, folders []string) []string {
	base, _, _ := strings.Cut(release, "-")
	version := base
	if parts := strings.SplitN(base, ".", 3); len(parts) == 3 {
		version = parts[0] + "." + parts[1]
	}
	return append(slices.Clip(folders), kernels.Find(release).Source(), "/usr/src/linux-source-"+version, "/usr/src/linux-"+base)
}

// sourceText returns the lines of a source file, nil if it is not at hand.
func sourceText(file string, folders []string) []string {
	for _, dir := range folders {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err == nil {
			return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		}
	}
	return nil
}
