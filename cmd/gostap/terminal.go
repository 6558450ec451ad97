// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"os"

	"github.com/pkg/errors"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// colorful reports whether diagnostics have colours; --color overrides it.
var colorful = term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"

// colorFlag declares --color.
func colorFlag(f *pflag.FlagSet, when *string) {
	f.StringVar(when, "color", "auto", "colour messages: `WHEN` is never, always or auto")
	f.Lookup("color").NoOptDefVal = "always"
	f.SetNormalizeFunc(normalizeFlag)
}

// colorArgument is --color for another gostap, whose messages are this one's.
func colorArgument() string {
	if colorful {
		return "--color=always"
	}
	return "--color=never"
}

// setColor applies --color=when.
func setColor(when string) error {
	switch when {
	case "always":
		colorful = true
	case "never":
		colorful = false
	case "auto":
	default:
		return errors.Errorf("--color=%s: never, always or auto", when)
	}
	return nil
}
