// SPDX-License-Identifier: GPL-2.0-or-later

package probecache

import (
	"slices"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/probepoint"
	"gostap/internal/cache"
)

// A Collector notes what probe points take from debuginfo, by modules' names:
// "" is the kernel itself.
type Collector map[string]*collected

type collected struct {
	info   *dwarf.Info // the whole
	points []string
}

// Count is how many probe points have been noted.
func (c Collector) Count() (n int) {
	for _, part := range c {
		n += len(part.points)
	}
	return n
}

// Add notes that a probe point in a module takes the code of functions.
func (c Collector) Add(module string, info *dwarf.Info, point probepoint.Point, functions []dwarf.Func) error {
	part := c[module]
	if part == nil {
		part = &collected{info: info}
		c[module] = part
	}
	if part.info != info {
		return errors.Errorf("the probe cache keeps one module %s, and there are two: the other's debuginfo is %s", module, part.info.Path())
	}
	part.points = append(part.points, probepoint.Spell(point.ProbePoint))
	for _, f := range functions {
		for _, in := range f.Instances() {
			if err := info.Collect(in); err != nil {
				return err
			}
		}
	}
	return nil
}

// Write writes what has been noted into the cache, in place of the entries of the same modules.
func (c Collector) Write(to *Cache) error {
	for module, part := range c {
		slices.Sort(part.points)
		data, err := part.info.WriteSubset(slices.Compact(part.points))
		if err == nil {
			err = cache.Write(dwarf.SubsetPath(to.BuildID, module), data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
