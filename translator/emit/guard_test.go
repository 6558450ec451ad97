// SPDX-License-Identifier: GPL-2.0-or-later

package emit_test

import (
	"strings"
	"testing"
)

// TestGuardFirst: a handler's guard comes before its alias's statements, unless it depends on them.
func TestGuardFirst(t *testing.T) {
	const library = `probe x { nr = 7 argstr = sprintf("%d", nr) name = "x" }`
	for script, want := range map[string][]string{
		`global on, n probe x { if (on) n[argstr, name]++ }`:                                                                   {"g_on)", "gs_sprintf", "put_keys0(c, "},
		`global n probe x { if (name == "y") next n[argstr]++ }`:                                                               {"gs_sprintf", "gs_str_eq", "put_keys0(c, "},
		`global n, on probe x { on++ if (on > 3) next n[argstr]++ }`:                                                           {"gs_sprintf", "g_on++", "g_on > 3", "put_keys0(c, "},
		`global n, on probe x { if (on) next n[argstr]++ on = strtol(name, 10) } function strtol:long(s:string, n:long) %{ %}`: {"g_on)", "gs_sprintf", "put_keys0(c, "},
	} {
		c := string(aliased(t, library, script).C)
		handler := c[strings.Index(c, "SHARED void probe_0("):]
		for _, text := range want {
			at := strings.Index(handler, text)
			if at < 0 {
				t.Errorf("%s: %q is not there, or too early, in\n%s", script, text, c)
				break
			}
			handler = handler[at+len(text):]
		}
	}
}
