// SPDX-License-Identifier: GPL-2.0-or-later

package tools

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gostap/internal/lazyregexp"
)

// A Value describes the value of an option or an argument.
type Value struct {
	Type    Type
	Default string // "" for a required argument, and for options with the default "" or 0
	Help    string
}

// A Type is a type of values, by its name in the help.
type Type string

// The types. From Seconds to Bytes, the script gets a number in the unit of the type's name.
const (
	Flag      Type = "" // 1 if it is given
	String    Type = "STRING"
	Number    Type = "NUMBER"
	Seconds   Type = "SECONDS"
	Millis    Type = "MS"
	Micros    Type = "US"
	Bytes     Type = "BYTES"
	Cgroup    Type = "CGROUP"    // a folder of the unified hierarchy; the script gets the cgroup's id
	Container Type = "CONTAINER" // a container's id, or a prefix of it; the script gets the id of its cgroup in the global cgroup
)

// script reports whether a value becomes an argument of the script instead of a global, as in "FUNCTION
// @1: …".
func (t Type) script() bool { return strings.HasPrefix(string(t), "@") }

// An Option sets a global of the script, of the same name with _ for -; one of type Container sets the
// global cgroup.
type Option struct {
	Name  string // without --
	Short string // a letter; "" if there is none
	Value
}

// global is the name of the option's global.
func (o *Option) global() string {
	if o.Type == Container {
		return "cgroup"
	}
	return strings.ReplaceAll(o.Name, "-", "_")
}

// An Argument sets a global of the script, of the same name in lower case, or one of the script's own
// arguments.
type Argument struct {
	Name     string // in upper case
	Optional bool   // the script has a default
	Value
}

var (
	header       = lazyregexp.MustCompile(`(?s)^(?:#![^\n]*\n)?(?://[^\n]*\n|\n)*/\*\*\n(.*?)\n? \*/\n`)
	titleLine    = lazyregexp.MustCompile(`^(\S+): (.+)$`)
	subjectLine  = lazyregexp.MustCompile(`^Subject: (.+)$`)
	optionLine   = lazyregexp.MustCompile(`^(?:-(\w), )?--([a-z][a-z-]*)(?: ([A-Z]+)(?: \((.*?)\))?)?: (.+)$`)
	argumentLine = lazyregexp.MustCompile(`^([A-Z]+) ([A-Z]+|@\d)(?: \((.*?)\))?: (.+)$`)
)

// describe parses the comment at the beginning of a script:
//
// \t/**
// \t * NAME: SUMMARY
// \t * Subject: SUBJECT
// \t *
// \t * -p, --pid NUMBER: an option; without TYPE (DEFAULT) it is a flag
// \t * INTERVAL SECONDS (1): an argument, in the order of these lines; without a default it is required
// \t * FUNCTION @1: an argument that the script gets as @1
// \t *
// \t * Text, and an example.
// \t */
func describe(name, script string) (*Tool, error) {
	t := parseComment(script)
	switch {
	case t == nil:
		return nil, errors.Errorf("tool %s: no comment /** … */ at the beginning that begins with its name and what it shows", name)
	case t.Name != name:
		return nil, errors.Errorf("tool %s: the comment begins with %q instead of its name and what it shows", name, t.Name)
	case t.Subject == "":
		return nil, errors.Errorf("tool %s: no line \"Subject: …\" after the first", name)
	}
	t.Script = script
	return t, t.check()
}

// Of returns the description of any script whose comment is as that of a tool, without those arguments
// that it gets as @1 and so on; nil if it has no such comment. Subject may be missing. command is how
// the script is called in messages.
func Of(script, command string) (*Tool, error) {
	t := parseComment(script)
	if t == nil {
		return nil, nil
	}
	t.command = command
	t.Arguments = slices.DeleteFunc(t.Arguments, func(a Argument) bool { return a.Type.script() })
	return t, t.check()
}

// Comment returns the comment at the beginning of a script that describes it; "" if there is none.
func Comment(script string) string {
	if parseComment(script) == nil {
		return ""
	}
	return header().FindString(script)
}

// parseComment parses the comment of a script; nil if there is none with a title.
func parseComment(script string) *Tool {
	m := header().FindStringSubmatch(script)
	if m == nil {
		return nil
	}
	var lines []string
	for line := range strings.SplitSeq(m[1], "\n") {
		lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(line, " *"), " "))
	}
	title := titleLine().FindStringSubmatch(lines[0])
	if title == nil {
		return nil
	}
	t := &Tool{Name: title[1], Summary: title[2]}
	lines = lines[1:]
	if len(lines) > 0 {
		if subject := subjectLine().FindStringSubmatch(lines[0]); subject != nil {
			t.Subject, lines = subject[1], lines[1:]
		}
	}
	var text []string
	for _, line := range lines {
		if len(text) > 0 || !t.value(line) && line != "" {
			text = append(text, line)
		}
	}
	t.Text = strings.TrimSpace(strings.Join(text, "\n"))
	return t
}

// value parses a line that describes an option or an argument, and reports whether it is one.
func (t *Tool) value(line string) bool {
	if m := optionLine().FindStringSubmatch(line); m != nil {
		t.Options = append(t.Options, Option{Short: m[1], Name: m[2], Value: Value{Type(m[3]), m[4], m[5]}})
		return true
	}
	m := argumentLine().FindStringSubmatch(line)
	if m != nil {
		optional := strings.Contains(line[:len(line)-len(m[4])], "(")
		t.Arguments = append(t.Arguments, Argument{m[1], optional, Value{Type(m[2]), m[3], m[4]}})
	}
	return m != nil
}

// check returns what is wrong with a tool's description.
func (t *Tool) check() error {
	for _, o := range t.Options {
		if _, err := o.parse(o.Default); o.Default != "" && err != nil {
			return errors.Wrapf(err, "tool %s: the default of --%s", t.Name, o.Name)
		}
	}
	for _, a := range t.Arguments {
		if _, err := a.parse(a.Default); a.Default != "" && err != nil {
			return errors.Wrapf(err, "tool %s: the default of %s", t.Name, a.Name)
		}
	}
	return nil
}
