// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/internal/distro"
	modulebuild "gostap/module-build"
	"gostap/translator/syntax"
)

func newFmt() *cobra.Command {
	var diff, write bool
	cmd := &cobra.Command{
		Use:   "fmt [-d | -w] FILE…",
		Short: "Print scripts in the canonical layout",
		Long: `fmt prints scripts in one canonical layout, comments kept.
FILE may be - for standard input. With -d it exits with 1 if a layout differs.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("fmt: give a FILE, or - for standard input (see gostap fmt --help)")
			}
			if diff && write {
				return errors.New("fmt: -d and -w are one too many")
			}
			differs := false
			for _, name := range args {
				changed, err := format(name, diff, write)
				if err != nil {
					return err
				}
				differs = differs || changed
			}
			if diff && differs {
				return exitCode(1)
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&diff, "diff", "d", false, "print the difference instead")
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the result to the file instead")
	return cmd
}

// format formats one file and reports whether that changed it.
func format(name string, diff, write bool) (bool, error) {
	text, err := readScript(name)
	if err != nil {
		return false, err
	}
	src := &syntax.Source{Path: scriptName(name), Text: text}
	// A file that can't be parsed is not changed.
	if _, diags := syntax.Parse(src, formatEnv()); diags.Err() != nil {
		return false, diags
	}
	out, diags := syntax.Format(src)
	if err := diags.Err(); err != nil {
		return false, err
	}
	changed := !bytes.Equal(out, text)
	switch {
	case diff && changed:
		return true, showDiff(name, text, out)
	case diff:
		return false, nil
	case write && name == "-":
		return false, errors.New("fmt -w: standard input can't be written to")
	case write && changed:
		info, err := os.Stat(name)
		if err != nil {
			return false, err
		}
		return true, os.WriteFile(name, out, info.Mode().Perm())
	case write:
		return false, nil
	}
	_, err = os.Stdout.Write(out)
	return changed, err
}

// formatEnv is an environment in which any script can be parsed, whatever arguments and rights it needs.
func formatEnv() *syntax.Env {
	args := make([]string, 100)
	for i := range args {
		args[i] = "1"
	}
	return &syntax.Env{Arch: "x86_64", Runtime: "kernel", Guru: true, Privilege: "stapdev", StapVersion: language, Args: args}
}

// showDiff prints the output of diff(1).
func showDiff(name string, before, after []byte) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	go func() {
		io.Copy(w, bytes.NewReader(after))
		w.Close()
	}()
	if _, err := exec.LookPath("diff"); err != nil {
		return &modulebuild.MissingError{What: "fmt -d: diff", Path: "in PATH", Install: distro.Here().Install(distro.Diff)}
	}
	cmd := exec.Command("diff", "-u", "--label", name, "--label", name+" (formatted)", "-", "/dev/fd/3")
	cmd.Stdin = bytes.NewReader(before)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{r}
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return errors.Wrap(err, "diff")
	}
	return nil
}
