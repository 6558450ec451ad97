// SPDX-License-Identifier: GPL-2.0-or-later

package probecache

import (
	"slices"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/probepoint"
	"gostap/internal/cache"
)

// A Collector records which debuginfo probe points need, by modules' names: "" is
// the kernel itself.
type Collector map[string]*collected

type collected struct {
	info   *dwarf.Info // the whole debuginfo
	points []string
}

// Count returns the number of probe points that have been recorded.
func (c Collector) Count() (n int) {
	for _, part := range c {
		n += len(part.points)
	}
	return n
}

// Add records that a probe point in a module needs the debuginfo of functions.
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

// Write writes what has been recorded to the cache, and replaces the entries of the same modules.
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
