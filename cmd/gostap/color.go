// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"os"

	"github.com/pkg/errors"
	"golang.org/x/term"
)

// colorful says whether diagnostics show colours; --color overrides it.
var colorful = term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"

// setColor obeys --color=when.
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
