// SPDX-License-Identifier: GPL-2.0-or-later

package query

import (
	"strings"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/elaborate/probepoint"
	"gostap/translator/check"
	"gostap/translator/syntax"
)

// aliasVariables returns the script variables that an alias sets for its probes, with their types. Those that
// begin with two underscores are its own, and left out.
func aliasVariables(alias *syntax.ProbePoint, lib *library.Library, target *image.Target) (list []Variable) {
	script := &syntax.Source{Path: "<alias>", Text: []byte("probe " + probepoint.Spell(alias) + " { }"), Origin: syntax.User}
	file, diags := syntax.Parse(script, &syntax.Env{})
	if diags.Err() != nil {
		return nil
	}
	elaborated, diags := elaborate.Elaborate([]*syntax.File{file}, lib, target)
	if diags.Err() != nil {
		return nil
	}
	prog, _ := check.Check(elaborated, check.Options{Guru: true, Unoptimized: true, NoWarnings: true})
	if prog == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, p := range prog.Probes {
		for _, local := range p.Locals {
			if !seen[local.Name] && !strings.HasPrefix(local.Name, "__") {
				seen[local.Name] = true
				list = append(list, Variable{local.Name, local.Type.String()})
			}
		}
	}
	return list
}
