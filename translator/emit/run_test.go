// SPDX-License-Identifier: GPL-2.0-or-later

package emit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gostap/translator/emit"
	"gostap/translator/emit/emittest"
)

// library are the functions that the scripts in testdata may call.
const library = `
function exit() %{ gs_exit(CONTEXT); %}
function error(msg:string) %{ STAP_ERROR("%s", STAP_ARG_msg); %}
function strlen:long(s:string) %{ /* pure */ STAP_RETVALUE = strlen(STAP_ARG_s); %}
function execname:string() %{ /* pure */ /* gs_str */ /* maxlen:15 */ STAP_RETURN(((struct gs_str){ "a.out", 5 })); %}
function upper:string(s:string) %{ /* pure */
	int i;
	for (i = 0; STAP_ARG_s[i]; i++) STAP_RETVALUE[i] = toupper(STAP_ARG_s[i]);
	STAP_RETVALUE[i] = 0;
%}
function say(s:string) %{ STAP_PRINTF("<%s>", STAP_ARG_s); %}
function matched:string(n:long) %{
	struct gs_match *m = &CONTEXT->match;
	if (STAP_ARG_n >= m->ngroups || STAP_ARG_n < 0) STAP_ERROR("no match");
	if (m->from[STAP_ARG_n] >= 0)
		snprintf(STAP_RETVALUE, MAXSTRINGLEN, "%.*s", m->to[STAP_ARG_n] - m->from[STAP_ARG_n], m->subject.s + m->from[STAP_ARG_n]);
%}
function ngroups:long() %{ STAP_RETURN(CONTEXT->match.ngroups); %}
function addr:long(s:string) %{ /* pure */ STAP_RETVALUE = (long)STAP_ARG_s; %}
`

var sanitized = &emittest.Builder{Flags: emittest.Sanitize}

// A scriptCase is a script of testdata/*.txt, between lines of ---. It begins with comment lines "#
// name"; the expected output follows a line of ===, with errors in lines that begin with "! ".
type scriptCase struct {
	file, name, script, want string
}

func readCases(t *testing.T) []scriptCase {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	var cases []scriptCase
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range strings.Split(string(data), "\n---\n") {
			script, want, ok := strings.Cut(text, "\n===\n")
			if !ok {
				t.Fatalf("%s: case %d has no ===", file, i+1)
			}
			name := strings.TrimPrefix(strings.TrimSpace(strings.SplitN(strings.TrimSpace(script), "\n", 2)[0]), "# ")
			cases = append(cases, scriptCase{filepath.Base(file), name, script, strings.TrimRight(want, "\n")})
		}
	}
	return cases
}

func TestScripts(t *testing.T) {
	lib, err := emittest.Translate("probe begin { exit() error(\"\") say(upper(execname())) printf(\"%d %d\", strlen(matched(0)), addr(\"\") + ngroups()) }", library)
	if err != nil {
		t.Fatal(err)
	}
	sanitized.Library = emit.Library(nil, lib.Functions)
	for _, c := range readCases(t) {
		t.Run(strings.TrimSuffix(c.file, ".txt")+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			p, err := emittest.Translate(c.script, library)
			if err != nil {
				t.Fatal(err)
			}
			opts := emit.Options{Limits: emit.DefaultLimits()}
			setLimits(t, &opts.Limits, c.script)
			exe, err := sanitized.Build(p, opts, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			res, err := exe.Run("-T", waits(c.script))
			if err != nil {
				t.Fatal(err)
			}
			got := res.Output
			for _, e := range res.Errors {
				got += "! " + e + "\n"
			}
			for _, h := range res.Hists {
				got += "hist"
				for i, n := range h {
					if n != 0 {
						got += fmt.Sprintf(" %d:%d", i, n)
					}
				}
				got += "\n"
			}
			if got = strings.TrimRight(got, "\n"); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

// setLimits obeys comments like // -DMAXACTION=5
func setLimits(t *testing.T, l *emit.Limits, script string) {
	for _, line := range strings.Split(script, "\n") {
		if def, ok := strings.CutPrefix(line, "// -D"); ok {
			name, value, _ := strings.Cut(def, "=")
			if known, err := l.Set(name, value); !known || err != nil {
				t.Fatalf("%s: %v, %v", def, known, err)
			}
		}
	}
}

// waits is the time for which a script without exit runs: zero if nothing can happen after its begin
// probes.
func waits(script string) string {
	if strings.Contains(script, "timer.") {
		return "10"
	}
	return "0"
}
