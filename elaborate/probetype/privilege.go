// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"slices"
	"strings"

	"gostap/elaborate/probepoint"
	"gostap/translator/syntax"
)

// forUsers reports whether a probe point with components of these names may be probed by
// --privilege=stapusr: those that tell of the session and of processes only.
func forUsers(names ...string) bool {
	switch names[0] {
	case "begin", "end", "error", "never", "oneshot", "process":
		return true
	case "timer":
		return len(names) > 1 && names[1] != "profile"
	}
	return false
}

// checkPrivilege refuses probe points that the session's user may not probe.
func (c *Context) checkPrivilege(pt *syntax.ProbePoint) *syntax.Diagnostic {
	var names []string
	for _, component := range pt.Components {
		names = append(names, component.Name)
	}
	if !c.Target.Unprivileged || forUsers(names...) {
		return nil
	}
	d := syntax.Errorf(pt.At, "%s may not be probed with --privilege=stapusr", probepoint.Spell(pt))
	return d.InStap("probe point is not allowed for --privilege=stapusr")
}

// ForUsers returns those of patterns that --privilege=stapusr may probe.
func ForUsers(patterns []string) []string {
	return slices.DeleteFunc(patterns, func(pattern string) bool {
		return !forUsers(strings.FieldsFunc(pattern, func(r rune) bool { return r == '.' || r == '(' })...)
	})
}
