// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"

	"gostap/elaborate/image"
	"gostap/elaborate/probepoint"
	"gostap/elaborate/vars"
	"gostap/translator/syntax"
)

func init() {
	registerProcess(processStatement, true, "statement(string)", "statement(string).nearest")
	registerProcess(processAddress, true, "statement(number)", "statement(number).absolute")
	register(processAbsolute, "process(number).statement(number).absolute")
}

// processStatement builds process.statement("NAME@FILE:LINES").
func processStatement(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	pattern, err := probepoint.ParsePattern(m.Text("statement"))
	if err != nil {
		return nil, m.Errorf("%v", err)
	}
	return c.inPrograms(m, func(p *probed) ([]*ProbeSite, *syntax.Diagnostic) {
		info, d := p.Debuginfo().Need(m.At, addressOfStatements, m.ProbePoint)
		if d != nil {
			return nil, d
		}
		return c.statements(&image.Source{Image: p.Program, Info: info}, &p.maker, pattern)
	})
}

// processAddress builds process.statement(ADDRESS), of an address as linked, at which a statement
// begins, and .absolute, for any instruction.
func processAddress(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	addr := uint64(m.Number("statement", 0))
	return c.inPrograms(m, func(p *probed) ([]*ProbeSite, *syntax.Diagnostic) {
		if m.Has("absolute") {
			return p.absolute(addr, addr)
		}
		info, d := p.Debuginfo().Need(m.At, fmt.Sprintf("what is at %#x", addr), m.ProbePoint)
		if d != nil {
			d.Hint = "statement(ADDRESS).absolute goes without"
			return nil, d
		}
		return c.statementAt(&image.Source{Image: p.Program, Info: info}, &p.maker, addr)
	})
}

// absolute makes the site of an instruction at addr, as linked; called is its address in the script.
func (p *probed) absolute(addr, called uint64) ([]*ProbeSite, *syntax.Diagnostic) {
	m := p.maker.m
	start, name := addr, ""
	v := p.maker.c.Unlisted(p.Program, fmt.Sprintf("%#x", called), addr)
	if info, err := p.Debuginfo().Any(); err == nil {
		if in, ok := info.At(addr); ok {
			start, name = in.Low, in.Func.Name
			v = p.maker.c.Statement(vars.Statement{Source: &image.Source{Image: p.Program, Info: info}, Instance: in, Addr: addr}, p.maker.warn)
		}
	}
	if why := p.Refusal(start, addr, true); why != "" {
		return nil, m.Errorf("%#x can't be probed: %s", called, why)
	}
	site := p.siteAt(p.maker.component(p.Program)+fmt.Sprintf(".statement(%#x).absolute", called), name, addr, v, false)
	return []*ProbeSite{site}, nil
}

// processAbsolute builds process(PID).statement(ADDRESS).absolute, of an address in the running process.
func processAbsolute(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	addr, pid := uint64(m.Number("statement", 0)), m.Number("process", 0)
	path, offset, err := mappedAt(pid, addr)
	if err != nil {
		return nil, m.Errorf("%#x: %v", addr, err)
	}
	p, d := c.probed(m, path, pid)
	if d != nil {
		return nil, d
	}
	linked, ok := p.AddressAt(offset)
	if !ok {
		return nil, m.Errorf("%#x is in no code of %s", addr, path)
	}
	return p.absolute(linked, addr)
}

// mappedAt returns the file that a process has mapped at an address, and the offset there.
func mappedAt(pid int64, addr uint64) (path string, offset uint64, err error) {
	list, err := mappings(pid)
	if err != nil {
		return "", 0, err
	}
	for _, m := range list {
		if m.low <= addr && addr < m.high {
			return m.file(), addr - m.low + m.from, nil
		}
	}
	return "", 0, fmt.Errorf("process %d has no file mapped there", pid)
}
