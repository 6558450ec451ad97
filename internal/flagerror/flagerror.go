// SPDX-License-Identifier: GPL-2.0-or-later

// Package flagerror says what is wrong with an option of a command line.
package flagerror

import (
	"github.com/pkg/errors"
	"github.com/spf13/pflag"

	"gostap/translator/suggest"
)

// Describe returns pflag's error on flags in gostap's words; see is where more is to be found.
func Describe(err error, flags *pflag.FlagSet, see string) error {
	var unknown *pflag.NotExistError
	var valueless *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return errors.Errorf("there is no option -%s (%s; arguments that begin with - go behind --)", unknown.GetSpecifiedName(), see)
	case errors.As(err, &unknown):
		if hint := suggest.Hint("--"+unknown.GetSpecifiedName(), names(flags)); hint != "" {
			see = hint
		}
		return errors.Errorf("there is no option --%s (%s)", unknown.GetSpecifiedName(), see)
	case errors.As(err, &valueless):
		what, _ := pflag.UnquoteUsage(valueless.GetFlag())
		return errors.Errorf("%s needs its %s (%s)", spell(valueless.GetFlag(), valueless.GetSpecifiedShortnames() != ""), what, see)
	case errors.As(err, &invalid):
		var wrong *ValueError
		kind := "no valid value"
		switch {
		case errors.As(invalid, &wrong):
			kind = wrong.Error()
		case invalid.GetFlag().Value.Type() == "int":
			kind = "no number"
		}
		return errors.Errorf("%s %s: %s (%s)", spell(invalid.GetFlag(), invalid.GetFlag().Shorthand != ""), invalid.GetValue(), kind, see)
	}
	return errors.Errorf("%v (%s)", err, see)
}

// A ValueError is an error of a flag's Set that says itself what is wrong with the value.
type ValueError struct{ error }

// Value makes a ValueError of an error.
func Value(err error) error { return &ValueError{err} }

func spell(f *pflag.Flag, short bool) string {
	if short {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

func names(flags *pflag.FlagSet) []string {
	var list []string
	flags.VisitAll(func(f *pflag.Flag) { list = append(list, "--"+f.Name) })
	return list
}
