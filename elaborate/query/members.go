// SPDX-License-Identifier: GPL-2.0-or-later

package query

import (
	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/elaborate/vars"
	"gostap/internal/panics"
	"gostap/translator/syntax"
)

// Members returns the members for x->… in a handler of the points, at the first site at which x is known. Without points,
// x is resolved as in a function.
func Members(points []*syntax.ProbePoint, x *syntax.TargetVar, lib *library.Library, target *image.Target) []Variable {
	expander := elaborate.NewExpander(lib, target)
	defer panics.At(expander.At())
	for _, pt := range points {
		sites, _ := expander.Sites(pt)
		for _, site := range sites {
			if site.Vars == nil {
				continue
			}
			if members, _ := site.Vars.Members(x); len(members) > 0 {
				return spelled(members)
			}
		}
	}
	members, _ := expander.Anywhere().Members(x)
	return spelled(members)
}

func spelled(members []vars.Variable) []Variable {
	list := make([]Variable, len(members))
	for i, m := range members {
		list[i] = Variable{m.Name, m.Type}
	}
	return list
}

// AliasVariables returns the names of the variables that the aliases of the points assign to, also through aliases of aliases.
func AliasVariables(points []*syntax.ProbePoint, lib *library.Library) (names []string) {
	seen := map[*syntax.AliasDecl]bool{}
	var look func(points []*syntax.ProbePoint)
	look = func(points []*syntax.ProbePoint) {
		for _, pt := range points {
			for _, candidate := range lib.Candidates(pt) {
				_, decl := candidate.Declaration()
				if decl == nil || seen[decl] {
					continue
				}
				seen[decl] = true
				names = append(names, assigned(decl.Body)...)
				look(decl.Points)
			}
		}
	}
	look(points)
	return names
}

// assigned returns the variables that statements assign to.
func assigned(body *syntax.Block) (names []string) {
	syntax.Inspect(body, func(n syntax.Node) bool {
		if a, ok := n.(*syntax.AssignExpr); ok {
			if v, ok := a.X.(*syntax.Ident); ok {
				names = append(names, v.Name)
			}
		}
		return true
	})
	return names
}
