// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/pflag"

	"gostap/internal/lazyregexp"
	"gostap/translator/emit"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// options are the command line's, with SystemTap's letters and meanings.
type options struct {
	source      *syntax.Source // a tool's script, which is then the only one; nil: that of the command line
	scripts     []string       // -e, or none
	extra       []string       // -E
	args        []string       // the file, unless there is a -e, and the script's arguments
	list        string         // -l
	listVars    string         // -L
	lists       int            // how many of -l, -L and --dump-… are given
	pass        int
	verbose     int
	verboseFor  string // --vp
	timing      bool
	guru        bool
	noWarn      bool
	warnErr     bool
	unoptimized bool // -u
	keep        bool
	module      string
	moduleFlag  *pflag.Flag // the flag for it
	release     string
	vm          string // "" without --vm, vmDefault without a release
	runtime     string
	kbuild      bool
	sign        string
	defines     []string
	includes    []string
	compatible  string
	color       string

	suppressErrors     bool
	sayFirstError      bool // of those
	suppressTimeLimits bool

	bundling bool // the module is for a bundle

	stap bool // called as stap: messages are SystemTap's
	peer peerOptions
	run  runOptions
}

// pattern returns the pattern of -l or -L, "" if a script is to be run.
func (o *options) pattern() string { return o.list + o.listVars }

// runs reports whether pass 5 is going to run.
func (o *options) runs() bool { return o.pass == 5 && o.pattern() == "" && !o.peer.dumps() }

// check refuses invalid options before any work is done.
func (o *options) check() error {
	if o.stap {
		if err := o.checkAsStap(); err != nil {
			return err
		}
	}
	if err := setColor(o.color); err != nil {
		return err
	}
	if o.pass < 1 || o.pass > 5 {
		return errors.Errorf("-p %d: the passes are 1 to 5", o.pass)
	}
	if strings.Trim(o.verboseFor, "0123456789") != "" || len(o.verboseFor) > 5 {
		return errors.Errorf("--vp %s: a digit for each of up to five passes", o.verboseFor)
	}
	if o.runtime != "kernel" && o.runtime != "host" {
		return errors.Errorf("--runtime=%s: kernel or host", o.runtime)
	}
	if o.runtime == "host" && (o.vm != "" || o.kbuild || o.sign != "") {
		return errors.New("--runtime=host goes with neither --vm nor --kbuild nor --sign")
	}
	if o.sign != "" && o.signer() == nil {
		return errors.Errorf("--sign %s: the files of a private key and of its certificate, as in --sign mok.key,mok.der", o.sign)
	}
	if o.vm != "" && o.run.pid != 0 {
		return errors.New("-x names a process of this machine, which does not exist in the VM; use -c")
	}
	if (o.vm != "" || o.runtime == "host") && (o.run.recorder || o.run.out.rotate != "") {
		return errors.New("-F and -S are for sessions in this machine's kernel; they go with neither --vm nor --runtime=host")
	}
	if o.vm != "" && o.run.out.bulk {
		return errors.New("-b writes files, which would be the VM's; it does not go with --vm")
	}
	if o.vm != "" && o.run.live.otlp != "" && o.pass == 5 {
		return errors.New("--otlp sends sessions of this machine: the VM has no network")
	}
	if (o.vm != "" || o.runtime == "host") && o.run.live.shows() && o.pass == 5 {
		return errors.New("--monitor and --serve show sessions in this machine's kernel: the VM passes on neither terminal nor network, and the host runtime has nothing to look at")
	}
	if o.suppressTimeLimits && !o.guru {
		return errors.New("--suppress-time-limits lets a handler run for ever: it takes guru mode, -g")
	}
	if err := o.checkNames(); err != nil {
		return err
	}
	for _, dir := range o.includes {
		if o.stap { // stap ignores it
			break
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return errors.Errorf("-I %s: no such folder", dir)
		}
	}
	if err := o.run.check(); err != nil {
		return err
	}
	if out := &o.run.out; o.runs() && out.rotate != "" && out.file == "" && !out.bulk {
		if o.stap {
			return stapRefusal("ERROR: You have to specify output FILE with '-S' option.")
		}
		return errors.Errorf("-S %s is for files: name them with -o", out.rotate)
	}
	if err := o.checkPrivilege(); err != nil {
		return err
	}
	if err := o.peer.check(o.sign); err != nil {
		return err
	}
	return o.checkScript()
}

// definition is how -D is written.
var definition = lazyregexp.MustCompile(`(?i)^[a-z_][a-z_0-9]*(=-?[a-z_0-9]+)?$`)

// checkNames refuses invalid versions and names.
func (o *options) checkNames() error {
	if syntax.CompareVersions(o.compatible, language) > 0 {
		return errors.Errorf("ERROR: systemtap version %s cannot be compatible with future version %s", language, o.compatible)
	}
	for _, d := range o.defines {
		if !definition().MatchString(d) {
			return errors.Errorf("-D %s: write it NAME or NAME=VALUE, of letters, digits and _", d)
		}
	}
	if name, ok := strings.CutSuffix(o.module, ".ko"); ok && o.stap {
		fmt.Fprintf(os.Stderr, "Truncating module name to '%s'\n", name)
		o.module = name
	}
	return nil
}

// checkScript checks that there is one script, or one pattern to list.
func (o *options) checkScript() error {
	switch {
	case o.lists > 1:
		return errors.New("-l, -L and --dump-… go one at a time")
	case o.pattern() != "" && len(o.scripts) > 0, o.pattern() != "" && len(o.args) > 0 && !o.stap:
		return errors.New("-l and -L list probe points instead of running a script; -E adds one whose aliases they know")
	case o.pattern() != "" || o.peer.dumps():
		return nil
	case len(o.scripts) > 1:
		return errors.New("only one -e can be given; -E adds scripts")
	case o.source != nil && len(o.scripts) > 0:
		return errors.New("-e doesn't go with a tool; -E adds scripts")
	case o.source == nil && len(o.scripts) == 0 && len(o.args) == 0:
		return errors.New("no script: give a FILE, - for standard input, or -e SCRIPT (see gostap --help)")
	}
	return nil
}

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
		// Others are for embedded C, or for SystemTap's own runtime.
		if hint := suggest.Hint(name, emit.LimitNames()); hint != "" && !o.noWarn && !o.stap && !strings.HasPrefix(name, "STP_") {
			fmt.Fprintf(os.Stderr, "gostap: warning: -D %s is no limit (%s)\n", name, hint)
		}
	}
	l.SuppressErrors, l.FirstError = o.suppressErrors, o.sayFirstError
	l.SuppressTimeLimits = o.suppressTimeLimits
	return l, nil
}
