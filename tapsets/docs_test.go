// SPDX-License-Identifier: GPL-2.0-or-later

package tapsets

import (
	"regexp"
	"strings"
	"testing"
)

var (
	since     = regexp.MustCompile(`(?m)\A// SPDX-[^\n]*\n//\n(//[^\n]*\n)*// Since gostap \d`)
	functions = regexp.MustCompile(`(?m)(/\*\*(?:[^*]|\*[^/])*\*/\n)?^function (\w+)(?::\w+)?\s*(?:\(([^)]*)\))?`)
)

// TestDeclaredOnce: no function is declared by two files, as calls would reach both.
func TestDeclaredOnce(t *testing.T) {
	home := map[string]string{}
	for name, text := range tapsetTexts(t) {
		for _, m := range functions.FindAllStringSubmatch(text, -1) {
			if other := home[m[2]]; other != "" && other != name {
				t.Errorf("%s is declared in %s and in %s", m[2], other, name)
			}
			home[m[2]] = name
		}
	}
}

// TestDocumented: each file has the version since which it exists, each public function a description
// that names its parameters.
func TestDocumented(t *testing.T) {
	for name, text := range tapsetTexts(t) {
		if !since.MatchString(text) {
			t.Errorf("%s does not say since when: \"// Since gostap N.N.\" is to end its first comment", name)
		}
		for _, m := range functions.FindAllStringSubmatch(text, -1) {
			doc, function := m[1], m[2]
			if strings.HasPrefix(function, "__") {
				continue // internal to the library
			}
			if !strings.HasPrefix(doc, "/** "+function) {
				t.Errorf("%s: the comment before %s is to begin with \"/** %s\"", name, function, function)
			}
			for param := range strings.SplitSeq(m[3], ",") {
				param, _, _ = strings.Cut(strings.TrimSpace(param), ":")
				if !regexp.MustCompile(`\b` + param + `\b`).MatchString(doc) {
					t.Errorf("%s: the comment before %s does not name %s", name, function, param)
				}
			}
		}
	}
}
