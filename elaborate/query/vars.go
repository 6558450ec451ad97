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

// PointVars are the variables at one place.
type PointVars struct {
	Point     string          `json:"point"`
	Variables []vars.Variable `json:"variables"`
}

// Vars returns the variables at the places that probe points stand for.
func Vars(patterns []*syntax.ProbePoint, lib *library.Library, target *image.Target) ([]PointVars, syntax.Diagnostics) {
	x := elaborate.NewExpander(lib, target)
	defer panics.At(x.At())
	var list []PointVars
	var diags syntax.Diagnostics
	for _, pt := range patterns {
		places, d := x.Places(pt)
		if d != nil {
			diags = append(diags, d)
		}
		for _, place := range places {
			at := PointVars{Point: place.Point.Name}
			if place.Vars != nil {
				at.Variables = place.Vars.Describe()
			}
			list = append(list, at)
		}
	}
	return list, append(x.Diagnostics(), diags...)
}
