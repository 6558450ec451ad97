// SPDX-License-Identifier: GPL-2.0-or-later

package tools

import (
	"slices"
	"strings"
	"testing"
)

// Every tool has help, and each of its options and arguments is a global of the script whose default is
// that in the help.
func TestDescriptions(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range all {
		globals := initials(tool)
		check := func(name string, v Value) {
			want := strings.ReplaceAll(strings.ToLower(name), "-", "_")
			if v.Type == Container {
				want = "cgroup"
			}
			if v.Type.script() {
				if !strings.Contains(tool.Script, string(v.Type)) && !strings.Contains(tool.Script, "$"+string(v.Type[1:])) {
					t.Errorf("%s: nothing uses %s", tool.Name, v.Type)
				}
				return
			}
			got, ok := globals[want]
			value, _ := v.parse(v.Default)
			if v.Default == "" && v.Type != String {
				value = "0"
			}
			if !ok || got != value {
				t.Errorf("%s: the help says that %s is %q, the script %q", tool.Name, name, value, got)
			}
		}
		for _, o := range tool.Options {
			check(o.Name, o.Value)
		}
		for _, a := range tool.Arguments {
			check(a.Name, a.Value)
		}
		if !strings.Contains(tool.Text, "# gostap tool "+tool.Name) {
			t.Errorf("%s: the help has no example", tool.Name)
		}
	}
}

// initials returns the initial values of the globals that have one.
func initials(tool *Tool) map[string]string {
	list := map[string]string{}
	for line := range strings.Lines(tool.Script) {
		declared, found := strings.CutPrefix(strings.TrimSpace(line), "global ")
		if !found {
			continue
		}
		for _, g := range strings.Split(declared, ", ") {
			if name, value, set := strings.Cut(g, " = "); set {
				list[name] = strings.Trim(value, `"`)
			}
		}
	}
	return list
}

const example = `// SPDX-License-Identifier: GPL-2.0-or-later

/**
 * ex: What it shows
 * Subject: Files
 *
 * -p, --pid NUMBER: of this process only
 * -x, --failed: only what fails
 * --all-types: everything
 * --size BYTES (4k): so much
 * FUNCTION @1: the function
 * INTERVAL SECONDS (0): so often
 * SLOWER MS (10): so slow
 *
 * Text: more.
 */
global x
`

func TestParse(t *testing.T) {
	tool, err := describe("ex", example)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ words, globals, arguments, err string }{
		{"vfs_read", "", "vfs_read", ""},
		{"-p 3 -x vfs_read 5", "pid=3 failed=1 interval=5", "vfs_read", ""},
		{"--pid=0x10 --all-types --size 2M f 2m 1500ms", "pid=16 all_types=1 size=2097152 interval=120 slower=1500", "f", ""},
		{"-xp3 f", "pid=3 failed=1", "f", ""},
		{"f -- 7 2s", "interval=7 slower=2000", "f", ""},
		{"", "", "", "FUNCTION is missing: the function"},
		{"-p x f", "", "", `"x" is not a number`},
		{"-p -1 f", "", "", `"-1" is not a number`},
		{"--size 1T f", "", "", "is not a number of bytes"},
		{"--size 9000000000G f", "", "", "is not a number of bytes"},
		{"--no f", "", "", "there is no option --no"},
		{"f 1500ms", "", "", "is not a time in whole seconds, as 10 or 1m30s"},
		{"f -- -5s", "", "", "is not a time"},
		{"f 1 1 1", "", "", `"1" is too much`},
		{"-x=2 f", "", "", "takes no value"},
	} {
		given, err := tool.Parse(strings.Fields(c.words))
		if err != nil {
			if c.err == "" || !strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), "gostap tool ex --help") {
				t.Errorf("%q: %v", c.words, err)
			}
			continue
		}
		if c.err != "" || strings.Join(given.Globals, " ") != c.globals || strings.Join(given.Arguments, " ") != c.arguments {
			t.Errorf("%q: %q %q", c.words, given.Globals, given.Arguments)
		}
	}
	given, err := tool.Parse([]string{"--help"})
	if err != nil || !given.Help {
		t.Errorf("--help: %v %v", given, err)
	}
	help := tool.Help()
	for _, want := range []string{"Usage: gostap tool ex [OPTION…] FUNCTION [INTERVAL] [SLOWER]", "-p, --pid NUMBER", "      --size BYTES  so much (4k)", "Text: more.\n"} {
		if !strings.Contains(help, want) {
			t.Errorf("the help lacks %q:\n%s", want, help)
		}
	}
}

// Errors in a tool's comment are reported when the tool is looked up.
func TestWrongDescriptions(t *testing.T) {
	for _, c := range []struct{ change, to, err string }{
		{"/**", "/*", "no comment"},
		{"ex: What", "other: What", "instead of its name"},
		{"Subject:", "About:", "no line"},
		{"(4k)", "(four)", "the default of --size"},
		{"SECONDS (0)", "HOURS (0)", "the default of INTERVAL"},
	} {
		if _, err := describe("ex", strings.Replace(example, c.change, c.to, 1)); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", c.to, err)
		}
	}
}

func TestNames(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(all, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) }) || len(all) < 40 {
		t.Errorf("%d tools", len(all))
	}
}
