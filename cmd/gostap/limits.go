// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/pkg/errors"

	"gostap/translator/emit"
	"gostap/translator/suggest"
)

func limitNames() string { return strings.Join(emit.LimitNames(), ", ") }

// setLimits turns -D and the options that lift limits into emit's.
func (o *options) setLimits() (emit.Limits, error) {
	l := emit.DefaultLimits()
	for _, d := range o.defines {
		name, value, given := strings.Cut(d, "=")
		if !given {
			value = "1" // as the C preprocessor has it
		}
		known, err := l.Set(name, value)
		if err != nil {
			return l, err
		}
		if known {
			continue
		}
		if strings.HasPrefix(name, "STP_") {
			// Scripts' instructions often pass these on to SystemTap's own runtime.
			if !o.noWarn {
				fmt.Fprintf(os.Stderr, "gostap: warning: -D %s is for SystemTap's runtime; it has no meaning here\n", d)
			}
			continue
		}
		hint := suggest.Hint(name, emit.LimitNames())
		if hint == "" {
			hint = "there are " + limitNames()
		}
		return l, errors.Errorf("-D %s: there is no limit of that name (%s)", name, hint)
	}
	l.SuppressErrors = o.suppressErrors
	l.SuppressTimeLimits = o.suppressTimeLimits
	return l, nil
}
