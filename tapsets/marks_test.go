// SPDX-License-Identifier: GPL-2.0-or-later

package tapsets

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

var (
	// asksPoint matches uses of the probe point, or of the registers and the stack at the hit, in the
	// runtime's API.
	asksPoint = regexp.MustCompile(`\bgs_(point_of|is_return|probe_addr|stack|ustack|ustack_from|find_frame)\(|\b(CONTEXT|c)->(regs|saved|point|ip)\b`)

	helpers  = regexp.MustCompile(`(?ms)^static [^;{=]*?\b(\w+)\([^;{]*\)\n\{(.*?)^\}`)
	embedded = regexp.MustCompile(`(?ms)^(?:private )?function (\w+)[^{%]*%\{(.*?)%\}`)
)

// tapsetTexts returns the library's files by name.
func tapsetTexts(t *testing.T) map[string]string {
	texts := map[string]string{}
	files, err := fs.Glob(FS, "*/*.stp")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	return texts
}

// TestPointMarks: functions that use the probe point, themselves or by C functions of their files, are
// marked, and no others; conditions can't call them.
func TestPointMarks(t *testing.T) {
	var all strings.Builder
	for _, text := range tapsetTexts(t) {
		all.WriteString(text)
	}
	asking := map[string]bool{}
	asks := func(code string) bool {
		if asksPoint.MatchString(code) {
			return true
		}
		for name := range asking {
			if regexp.MustCompile(`\b` + name + `\(`).MatchString(code) {
				return true
			}
		}
		return false
	}
	for before := -1; len(asking) > before; {
		before = len(asking)
		for _, m := range helpers.FindAllStringSubmatch(all.String(), -1) {
			if asks(m[2]) {
				asking[m[1]] = true
			}
		}
	}
	marked := 0
	for _, m := range embedded.FindAllStringSubmatch(all.String(), -1) {
		is := strings.Contains(m[2], "/* point */")
		switch {
		case is && !asks(m[2]):
			t.Errorf("%s is marked /* point */, but can do without", m[1])
		case !is && asks(m[2]):
			t.Errorf("%s needs the probe point, and is not marked /* point */", m[1])
		case is:
			marked++
		}
	}
	if marked < 40 {
		t.Errorf("only %d functions are marked", marked)
	}
}

// TestArgumentNames: no function or alias has a variable with the name of a global for scripts'
// arguments.
func TestArgumentNames(t *testing.T) {
	for name, text := range tapsetTexts(t) {
		code := regexp.MustCompile(`(?s)%\{.*?%\}|/\*.*?\*/|"[^"\n]*"|//[^\n]*`).ReplaceAllString(text, "")
		if m := regexp.MustCompile(`\barg(c|v|v_\d+)\b`).FindString(code); m != "" {
			t.Errorf("%s: %s is the script's, and would be an array or a string there", name, m)
		}
	}
}
