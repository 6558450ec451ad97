// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"errors"
	"path/filepath"
	"strings"

	"gostap/elaborate/executable"
	"gostap/elaborate/image"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// isProgram reports whether @cast's or @var's last argument names a program or a library, and not a kernel module.
func (e *Env) isProgram(module string) bool {
	if strings.ContainsAny(module, "<:") || filepath.Ext(module) == ".ko" || kernelModule(module) {
		return false
	}
	if strings.Contains(module, "/") || strings.Contains(module, ".so") {
		return true
	}
	if e.Target.FirstModule(module) != nil {
		return false
	}
	_, err := executable.Find(module)
	return err == nil
}

// program opens the program that name stands for.
func (e *Env) program(at syntax.Pos, name string) (*image.Program, *syntax.Diagnostic) {
	paths, err := executable.Find(name)
	if err != nil {
		return nil, NotFound(at, err)
	}
	if len(paths) > 1 {
		return nil, syntax.Errorf(at, "%d programs match %q: debuginfo is looked for in one", len(paths), name)
	}
	p, err := e.Target.Program(paths[0])
	if err != nil {
		return nil, syntax.Errorf(at, "%v", err)
	}
	return p, nil
}

// programSource returns the program that name stands for, with its debuginfo; what describes, for the
// error, what needs it.
func (e *Env) programSource(at syntax.Pos, name, what string) (*image.Source, *syntax.Diagnostic) {
	p, d := e.program(at, name)
	if d != nil {
		return nil, d
	}
	info, d := p.Debuginfo().Need(at, what, nil)
	if d != nil {
		return nil, d
	}
	return &image.Source{Image: p, Info: info}, nil
}

// NotFound is the error for the name of a program that does not exist.
func NotFound(at syntax.Pos, err error) *syntax.Diagnostic {
	d := &syntax.Diagnostic{Pos: at, Msg: err.Error()}
	var e *executable.NotFoundError
	if errors.As(err, &e) {
		d.Hint = e.Hint
	}
	return d
}

// Symbol returns a Resolver for the entry of a function that has only a symbol: it has arguments by number, $arg1 and so on, that are no
// floating point. Functions of Go, whose names have a package before a point, take them in registers of their own.
func (e *Env) Symbol(p *image.Program, name string, addr uint64) *Resolver {
	v := e.Unlisted(p, name, addr)
	l := v.site.(*listed)
	isGo := p.IsGo && strings.Contains(name, ".")
	l.Argument = func(at syntax.Pos, n int) program.Expr {
		switch {
		case isGo && n <= len(machine.GoArguments):
			return &program.Register{At: at, Number: machine.GoArguments[n-1]}
		case isGo:
			return nil
		case n <= len(machine.Arguments):
			return &program.Argument{At: at, Index: n - 1}
		}
		stack := machine.ReturnAddress + int64(n-1-len(machine.Arguments))*machine.WordSize
		addr := &program.Binary{At: at, Op: "+", X: &program.Register{At: at, Number: machine.StackPointer}, Y: &program.Number{At: at, Value: stack}}
		return &program.Deref{At: at, Addr: addr, Size: int(machine.WordSize), User: true}
	}
	return v
}

// Unlisted returns a Resolver for an instruction that has only an address: it has no variables.
func (e *Env) Unlisted(im image.Image, name string, addr uint64) *Resolver {
	l := Listed{Title: name, Addr: addr}
	l.None = func(at syntax.Pos, what string) *syntax.Diagnostic {
		_, d := im.Debuginfo().Need(at, what, nil)
		if d == nil {
			d = syntax.Errorf(at, "%s: the debuginfo of %s does not describe %s", what, im, name)
		}
		numbers := "$arg1, int_arg(1), pointer_arg(2) and so on read a function's arguments by their numbers"
		if strings.HasPrefix(what, "$return") {
			numbers = "returnval() is the result as a number"
		}
		d.Hint = numbers
		return d
	}
	if info, err := im.Debuginfo().Any(); err == nil {
		l.Source, l.Undescribed = &image.Source{Image: im, Info: info}, true
	}
	return e.Listed(l)
}
