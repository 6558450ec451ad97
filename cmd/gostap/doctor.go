// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gostap/doctor"
)

// doctorCodes are the exit codes by the worst finding. 1 is for gostap's own errors.
var doctorCodes = map[doctor.Status]int{doctor.OK: 0, doctor.Note: 0, doctor.Warning: 2, doctor.Error: 3}

// newDoctor makes `gostap doctor`.
func newDoctor() *cobra.Command {
	o := &options{}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [OPTION…] [PROGRAM]",
		Short: "Say what is missing on this machine, and what installs it",
		Long: `doctor looks at what gostap takes, from the compiler to the kernel's options and
the user's rights, and says what is there, what is missing for which ability,
and which command mends it on this distribution. With PROGRAM, a program or a
library, it looks for that one's debuginfo, too, and asks the servers that
DEBUGINFOD_URLS names.

The exit code is 0 if nothing is missing but what few need (note), 2 if scripts
run, but not all of them or not as they should (warning), 3 if scripts can't be
built or run (error), and 1 if doctor itself has failed.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			program := ""
			switch {
			case len(args) > 1:
				return errors.New("doctor: give one PROGRAM (see gostap doctor --help)")
			case len(args) == 1:
				program = args[0]
			}
			release, err := o.namedRelease()
			if err != nil {
				return err
			}
			facts := doctor.Probe(release, program)
			findings := doctor.Examine(facts)
			if asJSON {
				err = printDiagnosis(os.Stdout, facts, findings)
			} else {
				err = printFindings(os.Stdout, facts, findings, term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "")
			}
			if code := doctorCodes[doctor.Worst(findings)]; err == nil && code != 0 {
				return exitCode(code)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&o.release, "release", "r", "", "look at this kernel `RELEASE`, not at the running one")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object: findings, and the facts that they are made of")
	return cmd
}

// printDiagnosis prints the facts and findings as JSON.
func printDiagnosis(w io.Writer, facts doctor.Facts, findings []doctor.Finding) error {
	text, err := json.MarshalIndent(struct {
		Status   doctor.Status    `json:"status"`
		Findings []doctor.Finding `json:"findings"`
		Facts    doctor.Facts     `json:"facts"`
	}{doctor.Worst(findings), findings, facts}, "", "  ")
	if err != nil {
		return errors.WithStack(err)
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// statusColors are the terminal's, by status.
var statusColors = map[doctor.Status]string{doctor.OK: "32", doctor.Note: "36", doctor.Warning: "33", doctor.Error: "31"}

// printFindings prints a line for each finding, and below it the command that fixes it.
func printFindings(w io.Writer, facts doctor.Facts, findings []doctor.Finding, colors bool) error {
	where := "not the running one"
	if facts.Live != nil {
		where = "running"
	}
	name := facts.Distribution.Name
	if name == "" {
		name = "an unknown distribution"
	}
	fmt.Fprintf(w, "%s, kernel %s (%s)\n\n", name, facts.Kernel.Release, where)
	for _, f := range findings {
		status := fmt.Sprintf("%-8s", f.Status)
		if colors {
			status = "\x1b[" + statusColors[f.Status] + "m" + status + "\x1b[0m"
		}
		fmt.Fprintf(w, "%s %-10s %s\n", status, f.Subject, f.Text)
		if f.Fix != "" {
			fmt.Fprintf(w, "%20s%s\n", "", f.Fix)
		}
	}
	_, err := fmt.Fprintf(w, "\n%s\n", conclusion(facts, findings))
	return err
}

// conclusion is the last line: what runs here.
func conclusion(facts doctor.Facts, findings []doctor.Finding) string {
	switch doctor.Worst(findings) {
	case doctor.OK:
		return "Nothing is missing."
	case doctor.Note:
		return "Scripts can be built and run; what is missing is not for everybody."
	case doctor.Warning:
		return "Scripts can be built and run, but not all of them, or not as they should."
	}
	if facts.Live != nil && facts.VM.Usable() {
		return "Scripts can't be built or run for this kernel before the errors are mended. In a VM they can: gostap --vm -c COMMAND SCRIPT;\n" +
			"gostap doctor -r " + facts.VM.Release + " says whether building for its kernel lacks anything."
	}
	return "Scripts can't be built or run here before the errors are mended."
}
