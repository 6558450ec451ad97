// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/executable"
	"gostap/elaborate/image"
	"gostap/elaborate/vars"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// processes are the patterns that name processes: by program, by pid, or the target of -c
// and -x.
var processes = []string{"process", "process(number)", "process(string)"}

// registerProcess adds patterns behind each way to name processes, and if inLibraries is set,
// behind their libraries'.
func registerProcess(build builder, inLibraries bool, patterns ...string) {
	for _, p := range patterns {
		for _, root := range processes {
			register(ofProcess(build), root+"."+p)
			if inLibraries {
				register(ofProcess(build), root+".library(string)."+p)
			}
		}
	}
}

// ofProcess refuses numbers that no process has.
func ofProcess(build builder) builder {
	return func(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
		pid, ok := m.Argument("process").(*syntax.NumberLit)
		if ok && pid.Value <= 0 {
			return nil, m.Errorf("cannot probe pid %d: Invalid pid", pid.Value)
		}
		if ok {
			if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid.Value)); errors.Is(err, os.ErrNotExist) {
				return nil, m.Errorf("there is no process %d", pid.Value).InStap("cannot probe pid %d: No such process", pid.Value)
			}
		}
		return build(c, m)
	}
}

// A probed is a program or a library in which a probe point looks for sites.
type probed struct {
	*image.Program
	maker siteMaker   // for sites in it
	info  *dwarf.Info // nil if there is none, or it has not been opened
	alone bool        // it is the only one, so that errors in it are reported
}

// inPrograms finds sites in each of the programs or libraries that a probe point names. If
// there are several, one may have none.
func (c *Context) inPrograms(m match, find func(*probed) ([]*ProbeSite, *syntax.Diagnostic)) ([]*ProbeSite, *syntax.Diagnostic) {
	if err := c.Target.Host(); err != nil {
		return nil, m.Errorf("%v", err)
	}
	paths, pid, d := c.processPaths(m)
	if d != nil {
		return nil, d
	}
	wild := executable.Wild(m.Text("process")) && len(paths) > 1
	if m.Has("library") {
		wild = wild || executable.Wild(m.Text("library"))
	}
	var sites []*ProbeSite
	var first *syntax.Diagnostic
	tried := 0
	try := func(p *probed, d *syntax.Diagnostic) {
		tried++
		var found []*ProbeSite
		if d == nil {
			found, d = find(p)
		}
		if d == nil {
			found, d = c.sparing(m, p.Program, found)
		}
		if d != nil && first == nil {
			first = d
		}
		sites = append(sites, found...)
	}
	for _, path := range paths {
		p, d := c.probed(m, path, pid)
		if d != nil || !m.Has("library") {
			if p != nil {
				p.alone = len(paths) == 1
			}
			try(p, d)
			continue
		}
		libraries := c.loaded(m, pid)
		if len(libraries) == 0 {
			found, err := p.Libraries(m.Text("library"))
			if err != nil {
				try(nil, vars.NotFound(m.At, err))
				continue
			}
			libraries = found
		}
		for _, library := range libraries {
			in, d := c.probed(m, library, pid)
			if d == nil {
				in.alone = len(paths) == 1 && len(libraries) == 1
				in.maker.spelled = fmt.Sprintf("%s.library(%q)", p.Component(), library)
				in.maker.program = path
			}
			try(in, d)
		}
	}
	switch {
	case len(sites) == 0 && tried > 1:
		return nil, &syntax.Diagnostic{Pos: m.At, Msg: fmt.Sprintf("none of the %d programs and libraries that match has it; for one, %s", tried, first.Msg), Hint: first.Hint, Install: first.Install}
	case len(sites) == 0:
		return nil, first
	}
	for _, site := range sites {
		site.Wild = site.Wild || wild
	}
	return sites, nil
}

// loaded returns the libraries of a probe point that the process has loaded that it names, or that -x names.
func (c *Context) loaded(m match, pid int64) []string {
	if pid == program.TargetProcesses {
		pid = int64(c.Target.Traced.PID)
	}
	if pid <= 0 {
		return nil
	}
	return mappedLibraries(pid, m.Text("library"))
}

// probed opens a program or a library for a probe point.
func (c *Context) probed(m match, path string, pid int64) (*probed, *syntax.Diagnostic) {
	im, err := c.Target.Program(path)
	if err != nil {
		return nil, m.Errorf("%v", err)
	}
	p := &probed{Program: im, maker: siteMaker{c: c, m: m, in: im, args: [2]int64{m.Number("maxactive", 0), pid}}}
	if pid > 0 {
		p.maker.spelled = fmt.Sprintf("process(%d)", pid)
	}
	return p, nil
}

// processPaths returns the programs that the component process stands for, and the pid of the process
// that it names, or 0.
func (c *Context) processPaths(m match) (paths []string, pid int64, d *syntax.Diagnostic) {
	switch arg := m.Argument("process").(type) {
	case *syntax.StringLit:
		paths, err := executable.Find(c.seen(arg.Value))
		if err != nil {
			return nil, 0, vars.NotFound(m.At, err)
		}
		return paths, 0, nil
	case *syntax.NumberLit:
		path, err := processProgram(arg.Value)
		if err != nil {
			return nil, 0, m.Errorf("%v", err)
		}
		return []string{path}, arg.Value, nil
	}
	switch traced := c.Target.Traced; {
	case traced.PID != 0:
		path, err := processProgram(int64(traced.PID))
		if err != nil {
			return nil, 0, m.Errorf("%v", err)
		}
		return []string{path}, program.TargetProcesses, nil
	case traced.Command != "":
		paths, err := executable.Find(traced.Command)
		if err != nil {
			return nil, 0, vars.NotFound(m.At, err)
		}
		return paths, program.TargetProcesses, nil
	}
	d = m.Errorf("which program is meant is not known")
	d.Hint = `process without a name is what -c CMD starts or -x PID names: give one, or write process("PATH")`
	return nil, 0, d
}

// seen returns the path, from here, of a program whose path the process of -x sees in a root of its own, as in a container.
func (c *Context) seen(path string) string {
	root := fmt.Sprintf("/proc/%d/root", c.Target.Traced.PID)
	its, err := os.Stat(root)
	if c.Target.Traced.PID == 0 || !filepath.IsAbs(path) || err != nil {
		return path
	}
	if here, err := os.Stat("/"); err != nil || os.SameFile(here, its) {
		return path
	}
	return root + path
}

// processProgram returns the path of the program that a process runs, as it can be opened from here.
func processProgram(pid int64) (string, error) {
	link := fmt.Sprintf("/proc/%d/exe", pid)
	path, err := os.Readlink(link)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("there is no process %d, or it runs no program", pid)
	}
	if err != nil {
		return "", err
	}
	return opened(pid, path, link), nil
}

func init() {
	registerProcess(processFunction, true,
		"function(string)",
		"function(string).call",
		"function(string).callee(string)",
		"function(string).callee(string).call",
		"function(string).callee(string).return",
		"function(string).callees",
		"function(string).callees(number)",
		"function(string).exported",
		"function(string).inline",
		"function(string).label(string)",
		"function(string).return",
		"function(string).return.maxactive(number)")
}

// processFunction builds process.function: functions' entries and returns.
func processFunction(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	pattern := m.Text("function")
	if n := m.Number("maxactive", 0); n < 0 || n > maxMaxactive {
		return nil, m.Errorf("maxactive(%d) must be from 0 to %d", n, maxMaxactive)
	}
	return c.inPrograms(m, func(p *probed) ([]*ProbeSite, *syntax.Diagnostic) {
		debuginfo := p.Debuginfo()
		info, err := debuginfo.Any()
		if err != nil {
			if strings.Contains(pattern, "@") || m.Has("inline") || m.InFunctions() {
				_, d := debuginfo.Need(m.At, fmt.Sprintf("the place of %q", pattern), m.ProbePoint)
				return nil, d
			}
			if !errors.Is(err, dwarf.ErrNone) {
				p.maker.warn(m.At, fmt.Sprintf("the debuginfo of %s can't be used, only its symbols: %v", p, err))
			}
			return c.symbolFunctions(p, pattern)
		}
		c.Target.AddSource(info)
		p.info = info
		sites, d := c.sourceFunctions(&image.Source{Image: p.Program, Info: info}, &p.maker, pattern)
		if strings.Contains(pattern, "@") || m.Has("inline") || m.InFunctions() || len(sites) > 0 && !executable.Wild(pattern) {
			return sites, d
		}
		// Functions without debuginfo have symbols; and a function may have several names.
		more, none := c.symbolFunctions(p, pattern)
		switch {
		case none != nil && len(sites) == 0 && len(p.Symbols().Lookup(pattern)) > 0:
			return nil, none // it has the function, and that says why it can't be probed
		case none != nil:
			return sites, d
		}
		have := map[uint64]bool{}
		for _, site := range sites {
			have[site.Point.FileOffset] = true
		}
		for _, site := range more {
			if !have[site.Point.FileOffset] {
				sites = append(sites, site)
			}
		}
		return sites, nil
	})
}
