// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"errors"
	"fmt"

	"gostap/elaborate/executable"
	"gostap/elaborate/image"
	"gostap/elaborate/probepoint"
	"gostap/elaborate/vars"
	"gostap/internal/arch"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

func init() {
	for event, pattern := range map[int64]string{
		program.ProcessBegin:  "begin",
		program.ProcessEnd:    "end",
		program.ThreadBegin:   "thread.begin",
		program.ThreadEnd:     "thread.end",
		program.SyscallEntry:  "syscall",
		program.SyscallReturn: "syscall.return",
	} {
		registerProcess(func(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
			return processEvent(c, m, "process", event, systemCall(m.At, event))
		}, false, pattern)
	}
	for unit, pattern := range map[int64]string{program.StepInsn: "insn", program.StepBlock: "insn.block"} {
		registerProcess(func(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
			return processEvent(c, m, "step", unit, nil)
		}, false, pattern)
	}
}

// processEvent builds process.begin and the like: events of processes and threads, with these variables or none.
// A program that does not exist is waited for.
func processEvent(c *Context, m match, family string, event int64, variables *vars.Listed) ([]*ProbeSite, *syntax.Diagnostic) {
	if err := c.Target.Host(); err != nil {
		return nil, m.Errorf("%v", err)
	}
	point := program.Point{At: m.At, Family: family, Name: probepoint.Spell(m.ProbePoint), Args: [2]int64{event, m.Number("process", 0)}}
	var resolver *vars.Resolver
	if variables != nil {
		resolver = c.Listed(*variables)
	}
	name, ok := m.Components[0].Arg.(*syntax.StringLit)
	if !ok {
		return []*ProbeSite{{Point: &point, Vars: resolver}}, nil
	}
	paths, err := executable.Find(name.Value)
	if missing := (*executable.NotFoundError)(nil); errors.As(err, &missing) && missing.Awaited != "" {
		point.Site.Image = program.Image{Path: missing.Awaited}
		return []*ProbeSite{{Point: &point, Vars: resolver}}, nil
	}
	if err != nil {
		return nil, vars.NotFound(m.At, err)
	}
	return c.programSites(m, paths, func(im *image.Program) *ProbeSite {
		one := point
		one.Site.Image = im.ID()
		one.Name = im.Component() + "." + m.Inner()
		return &ProbeSite{Point: &one, Vars: resolver}
	})
}

// programSites makes a site in each of the programs that m stands for.
func (c *Context) programSites(m match, paths []string, site func(im *image.Program) *ProbeSite) (sites []*ProbeSite, d *syntax.Diagnostic) {
	for _, path := range paths {
		im, err := c.Target.Program(path)
		if err != nil {
			return nil, m.Errorf("%v", err)
		}
		one := site(im)
		one.Wild = len(paths) > 1
		sites = append(sites, one)
	}
	return sites, nil
}

// syscallArguments are the registers of a system call's arguments, by their DWARF numbers: rdi, rsi, rdx, r10, r8, r9.
var syscallArguments = []int{5, 4, 1, 10, 8, 9}

// systemCall returns the variables of a system call, nil at other events.
func systemCall(at syntax.Pos, event int64) *vars.Listed {
	l := &vars.Listed{Title: "a system call"}
	switch event {
	case program.SyscallEntry:
		for i, register := range syscallArguments {
			l.Values = append(l.Values, vars.ListedValue{Name: fmt.Sprintf("arg%d", i+1), X: &program.Register{At: at, Number: register}})
		}
	case program.SyscallReturn:
		l.Title = "the return of a system call"
		l.Values = append(l.Values, vars.ListedValue{Name: "return", X: &program.Register{At: at, Number: arch.X86_64.Results[0]}})
	default:
		return nil
	}
	l.Values = append([]vars.ListedValue{{Name: "syscall", X: &program.SyscallNumber{At: at}}}, l.Values...)
	return l
}
