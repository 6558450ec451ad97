// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"errors"
	"path/filepath"
	"strings"

	"gostap/elaborate/executable"
	"gostap/elaborate/image"
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

// Unlisted returns a Resolver for a function that has only a symbol: it has no variables.
func (e *Env) Unlisted(im image.Image, name string, addr uint64) *Resolver {
	l := Listed{Title: name, Addr: addr}
	l.None = func(at syntax.Pos, what string) *syntax.Diagnostic {
		_, d := im.Debuginfo().Need(at, what, nil)
		if d == nil {
			d = syntax.Errorf(at, "%s: the debuginfo of %s does not describe %s", what, im, name)
		}
		numbers := "int_arg(1), pointer_arg(2) and so on read arguments by their numbers"
		if strings.HasPrefix(what, "$return") {
			numbers = "returnval() is the result as a number"
		}
		if d.Hint == "" {
			d.Hint = numbers
		} else {
			d.Hint += "; " + numbers
		}
		return d
	}
	if info, err := im.Debuginfo().Any(); err == nil {
		l.Source, l.Undescribed = &image.Source{Image: im, Info: info}, true
	}
	return e.Listed(l)
}
