// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"fmt"
	"time"

	"gostap/manifest"
)

// globals returns initial values of the script's globals, as "name=value": those of -G, and those of the tapset library
// that only the consumer knows, if the script has them.
func (c *Config) globals(m *manifest.Manifest) []string {
	zone, east := time.Now().Zone()
	known := map[string]string{
		"__tz_gmtoff":         fmt.Sprint(-east),
		"__tz_name":           zone,
		"__target_namespaces": fmt.Sprint(c.Namespaces),
	}
	var list []string
	for _, g := range m.Globals {
		if value, ok := known[g.Name]; ok {
			list = append(list, g.Name+"="+value)
		}
	}
	return append(list, c.Globals...)
}
