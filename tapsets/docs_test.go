// SPDX-License-Identifier: GPL-2.0-or-later

package tapsets

import (
	"io/fs"
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
	files, err := fs.Glob(FS, "*/*.stp")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	home := map[string]string{}
	for _, name := range files {
		text, err := FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range functions.FindAllStringSubmatch(string(text), -1) {
			if other := home[m[2]]; other != "" && other != name {
				t.Errorf("%s is declared in %s and in %s", m[2], other, name)
			}
			home[m[2]] = name
		}
	}
}

// TestDocumented: each file says since when it has been there, each public
// function what it does, naming its parameters.
func TestDocumented(t *testing.T) {
	files, err := fs.Glob(FS, "*/*.stp")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !since.Match(text) {
			t.Errorf("%s does not say since when: \"// Since gostap N.N.\" is to end its first comment", name)
		}
		for _, m := range functions.FindAllStringSubmatch(string(text), -1) {
			doc, function := m[1], m[2]
			if strings.HasPrefix(function, "__") {
				continue // the library's own
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
