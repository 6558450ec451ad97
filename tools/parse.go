// SPDX-License-Identifier: GPL-2.0-or-later

package tools

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/pflag"

	"gostap/internal/flagerror"
)

// Given has the globals and arguments of a tool's script that a command line sets.
type Given struct {
	Globals   []string // NAME=VALUE
	Arguments []string
	Help      bool // the help is requested; nothing else is set
}

// Parse parses the words behind a tool's name. Its errors describe what is wrong and what is expected.
func (t *Tool) Parse(words []string) (*Given, error) {
	flags := pflag.NewFlagSet(t.Name, pflag.ContinueOnError)
	flags.Usage = func() {}
	values := make([]string, len(t.Options))
	for i, o := range t.Options {
		v := flags.VarPF(&setting{&o.Value, &values[i]}, o.Name, o.Short, "")
		if o.Type == Flag {
			v.NoOptDefVal = "1"
		}
	}
	help := flags.BoolP("help", "h", false, "")
	if err := flags.Parse(words); err != nil {
		return nil, errors.Wrap(flagerror.Describe(err, flags, t.see()), t.Name)
	}
	if *help {
		return &Given{Help: true}, nil
	}
	given := &Given{}
	for i, o := range t.Options {
		if flags.Changed(o.Name) {
			given.Globals = append(given.Globals, o.global()+"="+values[i])
		}
	}
	args := flags.Args()
	if len(args) > len(t.Arguments) {
		return nil, t.wrong(errors.Errorf("%q is too much", args[len(t.Arguments)]))
	}
	for i, a := range t.Arguments {
		if i >= len(args) && a.Optional {
			break // the remaining arguments are optional, too
		}
		if i >= len(args) {
			return nil, t.wrong(errors.Errorf("%s is missing: %s", a.Name, a.Help))
		}
		value, err := a.parse(args[i])
		switch {
		case err != nil:
			return nil, t.wrong(errors.Wrap(err, a.Name))
		case a.Type.script():
			given.Arguments = append(given.Arguments, value)
		default:
			given.Globals = append(given.Globals, strings.ToLower(a.Name)+"="+value)
		}
	}
	return given, nil
}

func (t *Tool) wrong(err error) error {
	return errors.Errorf("%s: %v (%s)", t.Name, err, t.see())
}

func (t *Tool) see() string {
	if t.command != "" {
		return "see " + t.command + " --help"
	}
	return "see gostap tool " + t.Name + " --help"
}

// A setting is an option with its value while the command line is parsed.
type setting struct {
	value *Value
	text  *string
}

func (s *setting) String() string { return *s.text }
func (s *setting) Type() string   { return string(s.value.Type) }
func (s *setting) Set(text string) error {
	value, err := s.value.parse(text)
	if err != nil {
		return flagerror.Value(err)
	}
	*s.text = value
	return nil
}

// units are the units of the types of durations.
var units = map[Type]time.Duration{Seconds: time.Second, Millis: time.Millisecond, Micros: time.Microsecond}

// sizes are the suffixes of numbers of bytes, as powers of two.
var sizes = map[byte]uint{'k': 10, 'M': 20, 'G': 30}

// parse returns the value for the script.
func (v *Value) parse(text string) (string, error) {
	switch {
	case v.Type == String || v.Type.script():
		return text, nil
	case v.Type == Flag:
		if text != "0" && text != "1" {
			return "", errors.New("takes no value")
		}
		return text, nil
	case v.Type == Cgroup:
		return cgroupID(text)
	case v.Type == Container:
		return containerID(text)
	case v.Type == Number:
		n, err := strconv.ParseUint(text, 0, 63)
		if err != nil {
			return "", errors.Errorf("%q is not a number from 0 on", text)
		}
		return strconv.FormatUint(n, 10), nil
	case v.Type == Bytes:
		digits, shift := text, uint(0)
		if text != "" && sizes[text[len(text)-1]] != 0 {
			digits, shift = text[:len(text)-1], sizes[text[len(text)-1]]
		}
		n, err := strconv.ParseUint(digits, 10, 63)
		if err != nil || n > math.MaxInt64>>shift {
			return "", errors.Errorf("%q is not a number of bytes, as 512, 64k, 2M or 1G", text)
		}
		return strconv.FormatUint(n<<shift, 10), nil
	}
	unit, ok := units[v.Type]
	if !ok {
		return "", errors.Errorf("%s is no type", v.Type)
	}
	if n, err := strconv.ParseUint(text, 10, 32); err == nil {
		return strconv.FormatUint(n, 10), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d%unit != 0 {
		return "", errors.Errorf("%q is not a time in whole %s, as 10 or %s", text, strings.ToLower(string(v.Type)), 90*unit)
	}
	return strconv.FormatInt(int64(d/unit), 10), nil
}
