// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"fmt"
	"strings"

	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Builtins returns the part of the library that is compiled with the runtime: the functions of embedded
// C that files, the embedded library's, declare, and the embedded C at their top level. The functions
// have the names that Check gives them in every program.
func Builtins(files []*syntax.File) (top []*syntax.EmbeddedC, fns []*program.Function) {
	for _, file := range files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *syntax.EmbeddedDecl:
				top = append(top, d.Code)
			case *syntax.FunctionDecl:
				if d.Code != nil {
					fns = append(fns, builtin(d, file.Source))
				}
			}
		}
	}
	return top, fns
}

func builtin(d *syntax.FunctionDecl, src *syntax.Source) *program.Function {
	f := &program.Function{
		At: d.At, Name: builtinName(d, src), Script: d.Name,
		Result: program.Void, Code: d.Code, Builtin: true,
		Pure: strings.Contains(d.Code.Text, "/* pure */"),
	}
	if d.Result != "" {
		f.Result = writtenType(d.Result)
	}
	for _, p := range d.Params {
		f.Params = append(f.Params, &program.Local{At: p.At, Name: p.Name, Type: writtenType(p.Type)})
	}
	return f
}

// writtenType is the type of a parameter or result of embedded C: long where none is written.
func writtenType(name syntax.TypeName) program.Type {
	if name == "string" {
		return program.String
	}
	return program.Long
}

// builtinName is the name of a library function in every program: it does not depend on the script.
func builtinName(d *syntax.FunctionDecl, src *syntax.Source) string {
	name := fmt.Sprintf("%s__%d", d.Name, len(d.Params))
	if d.Private {
		name = fileWord(src) + "__" + name
	}
	if d.Priority != nil {
		name += fmt.Sprintf("_%d", *d.Priority)
	}
	return name
}
