// SPDX-License-Identifier: GPL-2.0-or-later

package query

import (
	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/elaborate/probecache"
	"gostap/elaborate/probepoint"
	"gostap/translator/syntax"
)

// Keep fills the probe cache with all the debuginfo of probe points, which must be
// installed. What the cache had before is removed.
func Keep(points []*syntax.ProbePoint, lib *library.Library, target *image.Target) syntax.Diagnostics {
	target.Collector = probecache.Collector{}
	var diags syntax.Diagnostics
	for _, pt := range points {
		if pt.Components[0].Name != "module" {
			if _, d := target.Debuginfo().Need(pt.At, "what the probe cache is to hold", nil); d != nil {
				return syntax.Diagnostics{d}
			}
		}
		before := target.Collector.Count()
		// Resolving the variables reads their debuginfo, too, and so it is copied.
		_, more := Vars([]*syntax.ProbePoint{pt}, lib, target)
		if diags = append(diags, more...); diags.Err() != nil {
			return diags
		}
		if target.Collector.Count() == before {
			d := diags.Errorf(pt.At, "%s: there is nothing to keep of it", probepoint.Spell(pt))
			d.Hint = "its places and variables are known without debuginfo"
			return diags
		}
	}
	cache, err := target.ProbeCache()
	if err == nil {
		err = target.Collector.Write(cache)
	}
	if err != nil {
		diags.Errorf(points[0].At, "%v", err)
	}
	return diags
}
