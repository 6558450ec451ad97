// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gostap/internal/kernels"
	"gostap/internal/panics"
	"gostap/translator/syntax"
)

// calledAs makes the command for the name that the program was called by: gostap's own, or that of
// one of SystemTap's programs. It returns the command line, after options from files.
func calledAs(path string, args []string) (*cobra.Command, []string) {
	switch filepath.Base(path) {
	case "stap":
		return newStap(), append(rcOptions(), args...)
	case "staprun":
		return newStaprun(), args
	case "stap-merge":
		return newMerge(), args
	}
	return newRoot(args), args
}

// newStap makes the command with the options and messages of stap(1).
func newStap() *cobra.Command {
	o := &options{stap: true}
	o.run.out.stap = true
	cmd, groups := newTracer(o)
	cmd.Use = "stap"
	cmd.SetVersionTemplate(stapVersion("translator/driver"))
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.otherKernel()
		if err := o.checkBuildTree(); err != nil {
			return stapUsage(err)
		}
		return stapUsage(run(cmd, args))
	}
	abbreviate(cmd.Flags())
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return stapUsage(stapFlagError("stap", err)) })
	cmd.SetHelpFunc(func(c *cobra.Command, _ []string) {
		fmt.Fprint(c.OutOrStdout(), stapVersion("translator/driver"), stapIntro)
		for _, g := range groups {
			fmt.Fprintf(c.OutOrStdout(), "\n%s:\n", g.title)
			flagUsages(c.OutOrStdout(), g.flags)
		}
	})
	return cmd
}

const stapIntro = `
Usage: stap [options] FILE                    Run script in file.
   or: stap [options] -                       Run script on stdin.
   or: stap [options] -e SCRIPT               Run given script.
   or: stap [options] -l PROBE                List matching probes.
   or: stap [options] -L PROBE                List matching probes and local variables.
   or: stap [options] --dump-probe-types      List available probe types.
   or: stap [options] --dump-probe-aliases    List available probe aliases.
   or: stap [options] --dump-functions        List available functions.
`

// stapVersion is the text of -V, in SystemTap's form.
func stapVersion(program string) string {
	return fmt.Sprintf("Systemtap %s (version %s/gostap, gostap %s)\n"+
		"This is free software; see the source for copying conditions.\nenabled features: BTF\n", program, language, version)
}

// otherKernel stops before pass 5 if the script is for another kernel than the running one, as stap does.
func (o *options) otherKernel() {
	release, err := o.namedRelease()
	if err != nil || !o.runs() || o.vm != "" || release == "" || release == runningRelease() {
		return
	}
	if !o.noWarn {
		fmt.Fprintln(os.Stderr, "WARNING: kernel release/architecture mismatch with host forces last-pass 4.")
	}
	o.pass = 4
}

// checkBuildTree refuses a -r without a kernel configuration, as stap does before any pass.
func (o *options) checkBuildTree() error {
	release, err := o.namedRelease()
	if err != nil || release == "" || o.runtime != "kernel" {
		return nil
	}
	config := filepath.Join(kernels.Find(release).Build(), ".config")
	var missing *fs.PathError
	if _, err := os.Stat(config); errors.As(err, &missing) {
		return stapRefusal(fmt.Sprintf("Checking %q failed with error: %s", config, capitalised(missing.Err.Error())))
	}
	return nil
}

// capitalised is the C library's text of an errno, which Go has in lower case.
func capitalised(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// stapUsage prints an error in a command line as stap does. Other errors have been printed.
func stapUsage(err error) error {
	var code exitCode
	var internal *panics.Error
	if err == nil || errors.As(err, &code) || errors.As(err, &internal) {
		return err
	}
	var diags syntax.Diagnostics
	if errors.As(err, &diags) {
		writeAsStap(os.Stderr, diags, 1)
		return exitCode(1)
	}
	var refusal stapRefusal
	if errors.As(err, &refusal) {
		fmt.Fprintln(os.Stderr, refusal)
		return exitCode(1)
	}
	text := err.Error()
	if strings.HasPrefix(text, "no script") {
		text = "A script must be specified."
	}
	fmt.Fprintln(os.Stderr, text)
	fmt.Fprintln(os.Stderr, "Try '--help' for more information. [man stap]")
	fmt.Fprintln(os.Stderr, "A message like [man foo] means for more info, run % man foo")
	return exitCode(1)
}

// abbreviate expands unambiguous abbreviations of options, as getopt_long does.
func abbreviate(f *pflag.FlagSet) {
	known := map[string]bool{}
	f.VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden || flag.Shorthand == "" { // those have no long names in stap
			known[flag.Name] = true
		}
	})
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		long := ""
		for full := range known {
			if full == name || strings.HasPrefix(full, name) && long != "" {
				return pflag.NormalizedName(name)
			}
			if strings.HasPrefix(full, name) {
				long = full
			}
		}
		if long == "" {
			long = name
		}
		return pflag.NormalizedName(long)
	})
}

// invalidValues are stap's messages for invalid values of options.
var invalidValues = map[string]string{
	"pass":              "Invalid pass number (should be 1-5).",
	"pid":               "Invalid target process ID number.",
	"timeout":           "Invalid timeout interval.",
	"buffer":            "Invalid buffer size (should be 1-4095).",
	"target-namespaces": "Invalid process ID number for target namespaces.",
}

// stapFlagError describes an error in an option with getopt's messages.
func stapFlagError(program string, err error) error {
	var unknown *pflag.NotExistError
	var valueless *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return errors.Errorf("%s: invalid option -- '%s'", program, unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		return errors.Errorf("%s: unrecognized option '--%s'", program, unknown.GetSpecifiedName())
	case errors.As(err, &valueless) && valueless.GetSpecifiedShortnames() != "":
		return errors.Errorf("%s: option requires an argument -- '%s'", program, valueless.GetSpecifiedName())
	case errors.As(err, &valueless):
		return errors.Errorf("%s: option '--%s' requires an argument", program, valueless.GetSpecifiedName())
	}
	if errors.As(err, &invalid) && invalidValues[invalid.GetFlag().Name] != "" {
		return stapRefusal(invalidValues[invalid.GetFlag().Name])
	}
	if errors.As(err, &invalid) && strings.HasPrefix(invalid.GetFlag().Name, "rlimit-") {
		return stapRefusal(fmt.Sprintf("Unable to convert %s resource limit '%s'.", invalid.GetFlag().Name, invalid.GetValue()))
	}
	return errors.Errorf("%s: %v", program, err)
}
