// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// A stapRefusal is stap's message about an invalid value of an option, without a reference to its help.
type stapRefusal string

func (r stapRefusal) Error() string { return string(r) }

// stapPatterns are the patterns of valid values of options in stap, case-insensitive.
var stapPatterns = map[string]string{
	"-D":        `^[a-z_][a-z_0-9]*(=-?[a-z_0-9]+)?$`,
	"-G":        `^[a-z_][a-z0-9_]*=[a-z0-9_.-]+$`,
	"-S":        `^[0-9]+(,[0-9]+)?$`,
	"-m":        `^[a-z0-9_]+$`,
	"--modinfo": `^[a-z_][a-z0-9_]*=.+$`,
}

// matches returns stap's refusal if a value of the option does not match its pattern.
func matches(option string, values ...string) error {
	pattern := regexp.MustCompile("(?i)" + stapPatterns[option])
	for _, v := range values {
		if !pattern.MatchString(v) {
			return stapRefusal("ERROR: Safety pattern mismatch for " + option + " parameter ('" + v + "' vs. '" + stapPatterns[option] + "') rc=1")
		}
	}
	return nil
}

// oneOf returns stap's refusal if the option's value is not one of a list.
func oneOf(option, value string, values ...string) error {
	if value == "" {
		return nil
	}
	for _, v := range values {
		if v == value {
			return nil
		}
	}
	return stapRefusal("Invalid argument '" + value + "' for " + option + ".")
}

// checkAsStap refuses what stap refuses, with stap's messages.
func (o *options) checkAsStap() error {
	module := strings.TrimSuffix(o.module, ".ko")
	lists := o.pattern() != "" || o.peer.lists()
	for _, err := range []error{
		oneOf("--color", o.color, "never", "always", "auto"),
		oneOf("--privilege", o.peer.privilege, "stapusr", "stapsys", "stapdev"),
		oneOf("--prologue-searching", o.peer.prologue, "never", "always", "auto"),
		matches("-D", o.defines...), matches("-G", o.run.globals...), matches("--modinfo", o.peer.modinfo...),
	} {
		if err != nil {
			return err
		}
	}
	switch {
	case o.pass < 1 || o.pass > 5:
		return stapRefusal(invalidValues["pass"])
	case o.verboseFor != "" && (len(o.verboseFor) > 5 || strings.ContainsFunc(o.verboseFor, func(r rune) bool { return !unicode.IsDigit(r) })):
		return stapRefusal("Invalid --vp argument: it takes 1 to 5 digits.")
	case o.run.bufferMB < 0 || o.run.bufferMB > maxBufferMB || o.run.bufferMB == 0 && o.run.buffer.Changed:
		return stapRefusal(invalidValues["buffer"])
	case o.run.timeout < 0 || o.run.timeout == 0 && o.run.timeoutFlag.Changed:
		return stapRefusal(invalidValues["timeout"])
	case o.run.pid < 0:
		return stapRefusal(invalidValues["pid"])
	case o.module == "" && o.moduleFlag.Changed:
		return stapRefusal("Module name cannot be empty.")
	case o.module != "" && matches("-m", module) != nil:
		return matches("-m", module)
	case o.run.out.rotate != "" && matches("-S", o.run.out.rotate) != nil:
		return matches("-S", o.run.out.rotate)
	case o.runtime != "kernel" && o.runtime != "host":
		return stapRefusal("ERROR: " + o.runtime + " is an invalid argument for --runtime")
	case !downloads(o.peer.download):
		return stapRefusal("ERROR: " + o.peer.download + " is not a valid value. Use 'yes', 'no', 'ask' or a timeout value.")
	case o.suppressTimeLimits && !o.guru:
		return stapRefusal("ERROR --suppress-time-limits requires guru mode (-g)")
	case o.peer.sysroot != "" && unix.Access(o.peer.sysroot, unix.R_OK|unix.X_OK) != nil:
		return stapRefusal("ERROR: " + o.peer.sysroot + " is an invalid directory for --sysroot")
	case len(o.peer.sysenv) > 0 && o.peer.sysroot == "":
		return stapRefusal("ERROR: --sysenv must follow --sysroot")
	case o.peer.privileges > 1:
		return stapRefusal("Privilege level may be set only once.")
	case len(o.scripts) > 1:
		return stapRefusal("Only one script can be given on the command line.")
	case o.run.command != "" && o.run.pid != 0:
		return errors.New("You can't specify -c and -x together.")
	case lists && len(o.scripts) > 0:
		return errors.New("Cannot specify a script with -l/-L/--dump-* switches.")
	case lists && o.pass != 5:
		return errors.New("Cannot specify -p with -l/-L/--dump-* switches.")
	case o.lists > 1:
		return stapRefusal("ERROR: only one of the -l/-L/--dump-* switches may be specified")
	}
	return nil
}

// downloads reports whether --download-debuginfo may have the value.
func downloads(value string) bool {
	switch value {
	case "", "yes", "no", "ask":
		return true
	}
	seconds, err := strconv.Atoi(value)
	return err == nil && seconds > 0
}

// checkServers refuses options for compile servers.
func (p *peerOptions) checkServers() error {
	for _, s := range []struct{ option, value string }{
		{"use-server", p.useServer}, {"list-servers", p.listServers}, {"trust-servers", p.trustServers},
	} {
		if s.value != "" {
			return errors.Errorf("--%s: there are no compile servers; scripts are built on the machine itself, or with -r RELEASE -p4 -m NAME on another", s.option)
		}
	}
	return nil
}
