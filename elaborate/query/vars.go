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

// PointVars are the variables at one site.
type PointVars struct {
	Point     string          `json:"point"`
	Variables []vars.Variable `json:"variables"`
}

// Vars returns the variables at the sites that probe points stand for.
func Vars(patterns []*syntax.ProbePoint, lib *library.Library, target *image.Target) ([]PointVars, syntax.Diagnostics) {
	x := elaborate.NewExpander(lib, target)
	defer panics.At(x.At())
	var list []PointVars
	var diags syntax.Diagnostics
	for _, pt := range patterns {
		sites, d := x.Sites(pt)
		if d != nil {
			diags = append(diags, d)
		}
		for _, site := range sites {
			at := PointVars{Point: site.Point.Name}
			if site.Vars != nil {
				at.Variables = site.Vars.Describe()
			}
			list = append(list, at)
		}
	}
	return list, append(x.Diagnostics(), diags...)
}
